// Package measure is the room of one experiment: the trial as a value, what its victim's processes do and mark, the
// runner that creates pods and injects faults, the timeline of facts, the judge, and the run that is saved. It knows no
// cluster: a lane gives the runner its node.
package measure
