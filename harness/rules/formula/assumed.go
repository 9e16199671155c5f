package formula

// Assumes returns the fields of the kubelet's configuration that an input's windows depend on although nobody could
// read them ([Kubelet.Assumed]). They have the release's defaults.
func (f Formula) Assumes(in Input) (fields []string) {
	if !in.Kubelet.Assumed {
		return nil
	}
	for _, s := range settings {
		other := in
		*s.of(&other.Kubelet) = 2*s.byDefault + *s.of(&in.Kubelet)
		if f.windows(in) != f.windows(other) {
			fields = append(fields, s.name)
		}
	}
	return fields
}

// Gated returns the changes with a feature gate that the code's window depends on, if nobody could read the gates.
func (f Formula) Gated(in Input) (changes []Change) {
	if !in.Kubelet.Assumed {
		return nil
	}
	for _, c := range f.Changes(in) {
		if c.Gate != "" && !in.Kubelet.gateReported(c.Gate) {
			changes = append(changes, c)
		}
	}
	return changes
}

// windows returns the limits of the code's window and of the promise.
func (f Formula) windows(in Input) (limits [2][2]int64) {
	w := f.Implemented(in)
	limits[0] = [2]int64{w.Earliest, w.Latest}
	if f.Documented != nil {
		if p := f.Documented(in); p != nil {
			limits[1] = [2]int64{p.Earliest, p.Latest}
		}
	}
	return limits
}
