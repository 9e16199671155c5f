package timeline

import (
	"slices"

	"github.com/podclock/podclock/harness/measure/victim"
)

// Timeline is the facts about a trial's pods. Instants are nil for what did not happen, or not yet.
type Timeline struct {
	Pod        string
	Containers map[string]*Container
	Faults     []Fault
	// Versions are those of the pods' objects, API what they say about the containers' lives.
	Versions      []Version
	API           []Change
	Events        []Event
	Calls         []Call
	Node          []NodeChange
	Endpoints     []EndpointChange
	ObjectDeleted *Instant
	// Known is the last instant up to which a missing mark means that nothing happened.
	Known int64
	// Cut is why the recording ended before the claims had all they need, or empty.
	Cut    string
	Doubts []Doubt
	// Misreports are what the kubelet reported against the marks, Compared how many reports of a kind were compared.
	Misreports []Misreport
	Compared   map[Report]int
}

// Container is the facts about one container.
type Container struct {
	Name  string
	Lives []*Life
	// Pulls are the attempts to pull an image that does not exist.
	Pulls []Instant
}

// Life is one process of a container, from start to death.
type Life struct {
	Number int
	// Connected is when the process reached the recorder, Started when its signal handlers were installed.
	Connected, Started *Instant
	// Signal is the name of the first stop signal.
	SIGTERMs []Instant
	Signal   string
	// Exiting is when the process began to end itself, OwnExitCode the exit code that it then gave.
	Exiting     *Instant
	OwnExitCode *int
	Gone        *Instant
	// Collected means that the kubelet's garbage collection removed the dead container before the next life ended.
	Collected bool
	// ExitCode and EndReason are the exit code and the reason of the end in the API.
	ExitCode  *int32
	EndReason string
	// Hooks are the runs of the preStop hook, PostStarts those of the postStart hook.
	Hooks      []Hook
	PostStarts []Hook
	Probes     []Probe
	// FillBegan and Filled enclose the filling of a volume. FillNote is what stopped it early.
	FillBegan, Filled *Instant
	FillNote          string
	// Requested is the first request of a client. LastRequest is the last one, nil while requests come.
	Requested, LastRequest *Instant

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

// Doubt is a reason not to trust a part of a timeline.
type Doubt struct {
	Why string
	// Container is the container whose facts are doubtful, or empty for all.
	Container string
	// Since is the instant after the last certain fact, 0 if none is certain.
	Since int64
}

// Report is a kind of report of the kubelet that the marks can contradict.
type Report string

const (
	// EndShown is an end in the API: the process must have died.
	EndShown Report = "ends"
	// EndDated is finishedAt in the API: the second in which the process died.
	EndDated Report = "end-times"
	// ExitCodeShown is the exit code in the API: the one that the process gave, or 137 after SIGKILL.
	ExitCodeShown Report = "exit-codes"
	// EndLost is an end in the API that is not ContainerStatusUnknown.
	EndLost Report = "lost-ends"
	// FailureCounted is a failure in prober_probe_total: a probe of the container failed.
	FailureCounted Report = "failures"
)

// Misreport is a report of the kubelet that the marks contradict.
type Misreport struct {
	Report Report
	// At is when the report came.
	At  int64
	Why string
}

// Checked is how many reports of each kind were checked, and what is wrong with them.
type Checked struct {
	Count map[Report]int
	Wrong map[Report][]Misreport
}

// NewChecked returns a check of nothing.
func NewChecked() Checked { return Checked{map[Report]int{}, map[Report][]Misreport{}} }

// Add adds what is wrong, once.
func (c Checked) Add(m Misreport) {
	if !slices.ContainsFunc(c.Wrong[m.Report], func(known Misreport) bool { return known.Why == m.Why }) {
		c.Wrong[m.Report] = append(c.Wrong[m.Report], m)
	}
}

// Lives reports whether a process of a container lived at an instant, as far as its marks say.
func (t *Timeline) Lives(container string, at int64) bool {
	c := t.Containers[container]
	return c != nil && slices.ContainsFunc(c.Lives, func(l *Life) bool {
		return l.Started != nil && l.Started.At <= at && (l.Gone == nil || l.Gone.At > at)
	})
}

// Life returns one life of a container, or nil.
func (t *Timeline) Life(container string, number int) *Life {
	c := t.Containers[container]
	if c == nil || number < 1 || number > len(c.Lives) {
		return nil
	}
	return c.Lives[number-1]
}

// SIGTERM returns the first stop signal of the life, or nil if there is none or no life.
func (l *Life) SIGTERM() *Instant {
	if l == nil || len(l.SIGTERMs) == 0 {
		return nil
	}
	return &l.SIGTERMs[0]
}

// Marks returns the instants, in nanoseconds since 1970, of the life's marks, preStop hooks and probes included.
func (l *Life) Marks() (all []int64) {
	instants := []*Instant{l.Started, l.SIGTERM(), l.Gone}
	for i := range l.Hooks {
		instants = append(instants, &l.Hooks[i].Began, l.Hooks[i].Ended)
	}
	for i := range l.Probes {
		instants = append(instants, &l.Probes[i].At)
	}
	for _, i := range instants {
		if i != nil {
			all = append(all, i.At)
		}
	}
	return all
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

// collect notes the dead containers that the kubelet removed before the next life ended.
func (t *Timeline) collect(removals []Removal) {
	for _, r := range removals {
		life, next := t.Life(r.Container, r.Life), t.Life(r.Container, r.Life+1)
		if life != nil && next != nil && (next.Gone == nil || next.Gone.At > r.At) {
			life.Collected = true
		}
	}
}
