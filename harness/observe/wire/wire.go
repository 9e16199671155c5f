// Package wire is what the node part of an observation writes to its standard output, one JSON object a line.
package wire

import "time"

// Line is the end of a container's main process, or a beat, which has no container.
type Line struct {
	// Epoch identifies the run of the node part. Seq counts its lines from 1.
	Epoch string `json:"epoch"`
	Seq   uint64 `json:"seq"`
	// At is the time of the node's clock in nanoseconds since 1970, at which the node part woke up.
	At int64 `json:"at"`
	// Late bounds how long after the end it woke up, in nanoseconds: so long before At, the process was seen alive.
	Late int64 `json:"late,omitempty"`
	// Container is the runtime's ID.
	Container string `json:"container,omitempty"`
	// Watched is how many processes it watches.
	Watched int `json:"watched"`
}

// Time returns At.
func (l Line) Time() time.Time { return time.Unix(0, l.At) }

// BeatsEvery is how often a node part writes a line in any case.
const BeatsEvery = 5 * time.Second
