package formula

import "slices"

// Extrapolated reports whether the formula may not hold for the input's kubelet: nobody read its minor release, or in
// its release a change that the formula's windows depend on.
func (f Formula) Extrapolated(in Input) bool {
	asked := f.Changes(in)
	if f.Documented != nil {
		in.Kubelet.asked = &asked
		f.Documented(in)
	}
	return sameMinor(everyBranch, in.Kubelet.Version) == "" || slices.ContainsFunc(asked, in.Kubelet.Extrapolates)
}

// Changes returns the changes that the code's window of an input depends on, each once.
func (f Formula) Changes(in Input) []Change {
	var asked []Change
	in.Kubelet.asked = &asked
	f.Implemented(in)
	return asked
}

// Neighbour returns a kubelet that differs by one change, as a release before or after that change does: it lacks the
// change if this one has it, and has it otherwise. It also says so.
func (k Kubelet) Neighbour(c Change) (neighbour Kubelet, says string) {
	says = "the kubelet has this change of " + c.releases() + ": " + c.Name
	if k.Has(c) {
		says = "the kubelet lacks this change of " + c.releases() + ": " + c.Name
	}
	k.flipped = c
	return k, says
}
