// Package kubelet provides the kubelets that are put under test: a pinned version of Kubernetes, as
// released or with one named mutation of its source, which it builds; or a binary of the user's own, which
// it takes as it is. What it builds, it can also compile into podclock's virtual node, as the virtual lane
// needs it.
//
// A mutation is data. Where it does not match exactly once, nothing is built: a mutant that is no mutant
// would prove nothing.
//
// The package must never know of clusters, nodes or trials, nor what a mutation does to a measurement. It hands back a
// file and what its command line needs; harness/cluster puts it on a node, harness/virtual runs it.
package kubelet
