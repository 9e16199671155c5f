// Package node finds or builds the image that kind boots as a Kubernetes node.
//
// If a registry can be reached, it is the image that kind's maintainers publish. Otherwise the package
// builds one from Go modules, pinned in the folders beside this file, and Debian packages of this host's
// mirror. It contains every component of a node and of a control plane, and needs no other image. The same
// inputs give the same name, and an existing image is not built again.
//
// It knows no clusters, subjects or trials, and contains no host name of a registry or a mirror. The names
// of the control plane's images come from kubeadm, the sandbox image's from kind's containerd
// configuration, the published image's from kind's library, and the mirror from apt.
package node
