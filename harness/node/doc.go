// Package node is the room of the node lane: real kubelets, in a kind cluster or an external one. Package lab runs the
// trials, package cluster boots and deletes the nodes, package external uses those of others.
package node
