package timeline

import (
	"fmt"

	"github.com/podclock/podclock/harness/victim"
)

// Timeline is the facts about a trial's pods.
type Timeline struct {
	Pod        string
	Containers map[string]*Container
	Cues       []Cue
	// API, Events and Node are those of the evidence.
	API    []Change
	Events []Event
	Node   []NodeChange
	// ObjectDeleted is when the Pod's object disappeared, or nil.
	ObjectDeleted *Instant
	// Known is the last instant up to which a missing mark means that nothing happened.
	Known int64
	// Doubts are the reasons not to trust these facts.
	Doubts []string
}

// Container is the facts about one container.
type Container struct {
	Name string
	// Lives are its lives in order. Lives[0] is life 1.
	Lives []*Life
	// Pulls are the attempts to pull an image that does not exist.
	Pulls []Instant
}

// Life is one process of a container, from start to death. Instants are nil for what did not happen, or not yet.
type Life struct {
	// Number is the life's number in its container, from 1.
	Number int
	// Connected is when the main process reached the recorder, and Started when its signal handlers were installed.
	Connected, Started *Instant
	// SIGTERMs are the stop signals that arrived, and Signal the name of the first, by default "SIGTERM".
	SIGTERMs []Instant
	Signal   string
	// Exiting is when the process announced that it would exit.
	Exiting *Instant
	// Gone is its death.
	Gone *Instant
	// ExitCode is the exit code that the API shows for this life.
	ExitCode *int32
	// Hooks are the runs of the preStop hook, and PostStarts those of the postStart hook.
	Hooks      []Hook
	PostStarts []Hook
	Probes     []Probe
	// FillBegan and Filled enclose the filling of a volume. FillNote is what stopped it early.
	FillBegan, Filled *Instant
	FillNote          string

	// connection is the one on which the process announced its start.
	connection uint64
}

// Hook is one run of a hook.
type Hook struct {
	Began      Instant
	Ended      *Instant
	connection uint64
}

// Probe is one probe that reached the container.
type Probe struct {
	At      Instant
	For     string
	Handler string
	Answer  string
}

// Life returns one life of a container, or nil.
func (t *Timeline) Life(container string, number int) *Life {
	c := t.Containers[container]
	if c == nil || number < 1 || number > len(c.Lives) {
		return nil
	}
	return c.Lives[number-1]
}

// SIGTERM returns the first stop signal of the life, or nil.
func (l *Life) SIGTERM() *Instant {
	if len(l.SIGTERMs) == 0 {
		return nil
	}
	return &l.SIGTERMs[0]
}

// FailedInARow counts the failing probes of one kind after the life's last success.
func (l *Life) FailedInARow(kind string) int {
	n := 0
	for _, p := range l.Probes {
		switch {
		case p.For != kind:
		case Fails(p.Answer):
			n++
		default:
			n = 0
		}
	}
	return n
}

// Fails reports whether the kubelet counts a probe with this answer as a failure.
func Fails(answer string) bool { return answer != "" && victim.Answer(answer[0]).Fails() }

func (t *Timeline) container(name string) *Container {
	c := t.Containers[name]
	if c == nil {
		c = &Container{Name: name}
		t.Containers[name] = c
	}
	return c
}

func (t *Timeline) life(container string, number int) *Life {
	c := t.container(container)
	for len(c.Lives) < number {
		c.Lives = append(c.Lives, &Life{Number: len(c.Lives) + 1})
	}
	return c.Lives[number-1]
}

func (t *Timeline) doubt(format string, args ...any) {
	t.Doubts = append(t.Doubts, fmt.Sprintf(format, args...))
}

func (t *Timeline) doubtOnce(format string, args ...any) {
	before := len(t.Doubts)
	t.doubt(format, args...)
	added := t.Doubts[before]
	for _, d := range t.Doubts[:before] {
		if d == added {
			t.Doubts = t.Doubts[:before]
			return
		}
	}
}
