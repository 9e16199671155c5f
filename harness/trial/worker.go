package trial

// Worker is a node configuration that a trial needs for itself. Trials that name the same worker share one;
// the lab tunes a node for them, runs them, and puts the node back as it was.
type Worker struct {
	// Name is the worker's, in lower case with dashes.
	Name string
	// KubeletConfig is a merge patch of the kubelet's configuration (RFC 7386); nil leaves it as it is.
	KubeletConfig map[string]any
	// NodeFSMiB and NodeFSInodes give the kubelet a small file system of its own for its root directory,
	// which is what it watches as nodefs. 0 leaves it where it is.
	NodeFSMiB, NodeFSInodes int
	// Alone says that its trials disturb each other, so that they run one after another.
	Alone bool
}

// Tuned says whether the worker differs from an ordinary one at all; one that does not is only a node for
// its trials alone.
func (w Worker) Tuned() bool {
	return w.KubeletConfig != nil || w.NodeFSMiB > 0 || w.NodeFSInodes > 0
}
