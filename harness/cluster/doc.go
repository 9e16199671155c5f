// Package cluster boots the Kubernetes cluster that podclock measures, or
// adopts one that an earlier run kept, and changes what must be changed on its
// nodes: the pod network, images, the kubelet and its configuration.
//
// [Up] is what podclock uses: it keeps books about which clusters are its own
// and therefore knows which it may reuse, which it must remove, and which it
// must never touch. [Provider] is the layer below and useful without podclock:
// an e2e-framework cluster provider that drives kind as a library, needs no
// kind binary, and whose calls obey their context.
//
// The package must never know what runs on the nodes: trials, victims,
// recorders and formulas are not its business, and a subject is a label to it.
// It installs no signal handler: whoever calls it cancels the context.
package cluster
