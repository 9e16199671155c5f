// Package node finds or builds the image that kind boots as a Kubernetes node.
//
// Where a registry is in reach the image is the one kind's maintainers publish. Elsewhere it is built here, from Go
// modules pinned in the folders beside this file and from Debian packages of the mirror this host already uses: every
// component of a node, and of a control plane, without one image from anywhere. The same inputs give the same name, and
// an image that is there is never built again.
//
// It must never know of clusters, subjects or trials, nor contain the host name of a registry or a mirror: the names of
// the control plane's images come from kubeadm, the sandbox image's from kind's containerd configuration, the published
// image's from kind's library, the mirror's from apt.
package node
