package reach

import "fmt"

// Why is why no trial needs to execute some code.
type Why string

// The reasons.
const (
	// Unobserved code changes nothing that a pod or its API object shows: logs, metrics, traces, texts of errors.
	Unobserved Why = "nothing outside the kubelet shows it"
	// Elsewhere code decides something else about a pod than its death and restart.
	Elsewhere Why = "no death and no restart depends on it"
	// Unused code is not called by a released kubelet, or not with the feature gates that it has by default.
	Unused Why = "a released kubelet does not call it"
	// Broken code handles a failure of the kubelet's own surroundings, which no pod can cause.
	Broken Why = "it handles a failure of the runtime, the API server or the disk"
	// Impossible code needs what no virtual node has.
	Impossible Why = "not possible in the virtual lane"
)

// Excuse is why code of one function need not be executed.
type Excuse struct {
	// File is that of [File.Name], Function that of [Function.Name].
	File, Function string
	// Code is in the block that is meant, or at the branch that leads to it. Empty: all that is not reached.
	Code string
	Why  Why
	// Because says more about this code. It may be empty.
	Because string
}

func (e Excuse) String() string {
	name := e.File + " " + e.Function
	if e.Code != "" {
		name += fmt.Sprintf(" (%s)", e.Code)
	}
	return name
}
