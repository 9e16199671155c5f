// Package node finds or builds the image that kind boots as a Kubernetes node.
//
// If a registry can be reached, it is the image that kind's maintainers publish. Otherwise the package builds one from
// Go modules, pinned in the folders beside this file, and Debian packages of this host's mirror. It contains every
// component of a node and of a control plane. The same inputs give the same name.
//
// The package contains no host name of a registry or a mirror: names of images come from kubeadm and kind, the mirror
// from apt.
package node
