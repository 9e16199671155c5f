package formula

import "time"

// BackOff returns the back-off after so many ends of a container, from 1, if none was forgotten.
func (k Kubelet) BackOff(ends int) (b time.Duration) {
	for range ends - 1 {
		b = k.Growth().After(b)
	}
	return b
}

// RestartOf returns the time from the end of a life that ended by itself to the next start, if the back-off has this
// value at its end.
func (in Input) RestartOf(life int, backOff time.Duration) Window {
	return in.restartsWith(life, backOff)
}
