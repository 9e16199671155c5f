// Package kubelet starts the kubelet of a virtual node: the whole of it, NewMainKubelet and Run, as the release has it. What stands around it is the
// virtual node's: container runtime, API server, machine. What the kubelet's command does besides is left out: its servers, certificates, the check
// of the host.
//
// Everything here must be called inside a testing/synctest bubble.
package kubelet
