package formula

// Left is the time between the stop signal and SIGKILL: what the hook leaves of the grace period, over all that it can have taken.
func (in Input) Left() Range {
	p := in.hookPart()
	return Range{Low: in.remainder(p.High), High: in.remainder(p.Low)}
}
