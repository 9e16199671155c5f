package timeline

import (
	"cmp"
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/victim"
)

// Timeline is the facts about one pod.
type Timeline struct {
	Pod        string
	Containers map[string]*Container
	Cues       []Cue
	// API, Events and Node are those of the evidence.
	API    []Change
	Events []Event
	Node   []NodeChange
	// ObjectDeleted is when the first pod's object disappeared, nil while it exists.
	ObjectDeleted *Instant
	// Known is up to when the absence of a mark means that nothing happened.
	Known int64
	// Doubts are the reasons not to trust these facts; empty is good.
	Doubts []string
}

// Container is the facts about one container.
type Container struct {
	Name string
	// Lives are its lives in order; Lives[0] is life 1.
	Lives []*Life
	// Pulls are the attempts to pull its image, where it has one that can't be had.
	Pulls []Instant
}

// Life is one run of a container. Instants are nil for what did not happen, or not yet.
type Life struct {
	// Number counts the container's lives from 1.
	Number int
	// Connected is when the main process reached the recorder, Started when its handlers were in place.
	Connected, Started *Instant
	// SIGTERMs are the stop signals that arrived; Signal is the name of the first of them, "SIGTERM" unless
	// the image says otherwise.
	SIGTERMs []Instant
	Signal   string
	// Exiting is when the process said it would end itself.
	Exiting *Instant
	// Gone is its death.
	Gone *Instant
	// ExitCode is the exit code that the API shows for this life.
	ExitCode *int32
	// Hooks are the runs of the preStop hook, PostStarts those of the postStart hook.
	Hooks      []Hook
	PostStarts []Hook
	Probes     []Probe
	// FillBegan and Filled enclose the filling of a volume; FillNote says what stopped it early.
	FillBegan, Filled *Instant
	FillNote          string

	// connection is the one on which the process said that it started.
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

// SIGTERM is the first stop signal of this life, nil when none came.
func (l *Life) SIGTERM() *Instant {
	if len(l.SIGTERMs) == 0 {
		return nil
	}
	return &l.SIGTERMs[0]
}

// FailedInARow counts the failing probes of one kind at the end of this life: those after its last success.
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

// Fails says whether the kubelet counts a probe with this answer as a failure.
func Fails(answer string) bool { return answer != "" && victim.Answer(answer[0]).Fails() }

const (
	// deathSeen bounds how much later than the death the recorder stamps a closed connection, on a node
	// that is not stalled.
	deathSeen = 2 * time.Millisecond
	// apiResolution is what the API's whole seconds lose, and the runtime's delay in noticing an exit.
	apiResolution = 1500 * time.Millisecond
)

// Build makes a pod's timeline from its evidence.
func Build(e Evidence, n delay.Record) *Timeline {
	t := &Timeline{
		Pod:        e.Pod,
		Containers: map[string]*Container{},
		Cues:       e.Cues,
		API:        e.API,
		Events:     e.Events,
		Node:       e.Node,
		Known:      e.Known,
	}
	numbers := map[uint64]int{}
	for _, r := range e.Marks {
		if r.N > 0 {
			if r.N != numbers[r.Conn]+1 {
				t.doubt("marks of connection %d are missing: %d follows %d", r.Conn, r.N, numbers[r.Conn])
			}
			numbers[r.Conn] = r.N
		}
		t.add(r, n)
	}
	if e.Cut != "" {
		t.doubt("%s", e.Cut)
	}
	for _, l := range e.Losses {
		t.doubt("%s (for %v)", l.Why, time.Duration(l.To-l.From).Round(time.Millisecond))
	}
	for _, c := range e.Cues {
		if c.Error != "" {
			t.doubt("cue %s failed: %s", c.What, c.Error)
		}
	}
	t.doubtRemoved(e.Removals)
	t.doubtMiscounted(n)
	t.compareWithAPI(e.API, n)
	t.compareWithCounters(e.Counters)
	return t
}

func (t *Timeline) doubt(format string, args ...any) {
	t.Doubts = append(t.Doubts, fmt.Sprintf(format, args...))
}

// Life returns one life of a container, nil where there is none (yet).
func (t *Timeline) Life(container string, number int) *Life {
	c := t.Containers[container]
	if c == nil || number < 1 || number > len(c.Lives) {
		return nil
	}
	return c.Lives[number-1]
}

func (t *Timeline) container(name string) *Container {
	c := t.Containers[name]
	if c == nil {
		c = &Container{Name: name}
		t.Containers[name] = c
	}
	return c
}

// attempt bounds the time between the first and the last request of one attempt to pull an image. Attempts
// are ten seconds apart at least.
const attempt = 3 * time.Second

// addPull takes over a request for an image: the first one of an attempt is the attempt.
func (t *Timeline) addPull(container string, at Instant) {
	c := t.container(container)
	if n := len(c.Pulls); n == 0 || at.At-c.Pulls[n-1].At > int64(attempt) {
		c.Pulls = append(c.Pulls, at)
	}
}

func (t *Timeline) life(container string, number int) *Life {
	c := t.container(container)
	for len(c.Lives) < number {
		c.Lives = append(c.Lives, &Life{Number: len(c.Lives) + 1})
	}
	return c.Lives[number-1]
}

// longestWay is how far apart a mark's sending and its arrival may be. Both are stamped by the clock of one
// node, and seen were up to 0.3 s on a busy one; beyond, the difference is no way and can't serve as the
// observer's error.
const longestWay = time.Second

// add takes over one mark.
func (t *Timeline) add(r mark.Record, n delay.Record) {
	if r.Kind == mark.Garbage {
		t.doubt("connection %d was cut off: %s", r.Conn, r.Detail.Note)
		return
	}
	if r.Container == "" {
		return
	}
	if r.Kind == mark.Pulled {
		t.addPull(r.Container, instant(r, n))
		return
	}
	if r.Life < 1 {
		if r.Role == mark.Run {
			t.doubt("a mark %s of container %s belongs to no life", r.Kind, r.Container)
		}
		return
	}
	if way := time.Duration(r.At - r.Sent); r.Sent != 0 && (way > longestWay || way < -longestWay) {
		t.doubt(
			"mark %s of container %s took %v on its way: the node's clock was set, or it stood still",
			r.Kind,
			r.Container,
			way.Round(time.Millisecond),
		)
	}
	life := t.life(r.Container, r.Life)
	at := instant(r, n)
	switch r.Role {
	case mark.Run:
		life.addRun(r, at)
	case mark.Hook:
		life.addHook(r, at)
	}
}

func (l *Life) addRun(r mark.Record, at Instant) {
	switch r.Kind {
	case mark.Connected:
		if l.Connected == nil {
			l.Connected = &at
		}
	case mark.Started:
		// What was gone before was an earlier attempt of the same process to reach the recorder.
		l.Started, l.connection, l.Gone = &at, r.Conn, nil
	case mark.SIGTERM:
		if l.SIGTERMs = append(l.SIGTERMs, at); len(l.SIGTERMs) == 1 {
			l.Signal = cmp.Or(r.Detail.Signal, "SIGTERM")
		}
	case mark.Exiting:
		l.Exiting = &at
	case mark.Gone:
		if l.Started == nil || l.connection == r.Conn {
			l.Gone = &at
		}
	case mark.Probed:
		if p := r.Detail.Probe; p != nil {
			l.Probes = append(l.Probes, Probe{At: at, For: p.For, Handler: p.Handler, Answer: p.Answer})
		}
	case mark.FillBegan:
		l.FillBegan = &at
	case mark.Filled:
		l.Filled, l.FillNote = &at, r.Detail.Note
	case mark.HookBegan, mark.HookEnded, mark.PostStartBegan, mark.PostStartEnded:
		l.addHook(r, at)
	}
}

// addHook takes over a mark of a hook: of a process of its own, or of a request to the main process.
func (l *Life) addHook(r mark.Record, at Instant) {
	switch r.Kind {
	case mark.HookBegan:
		l.Hooks = append(l.Hooks, Hook{Began: at, connection: r.Conn})
	case mark.HookEnded:
		end(l.Hooks, r.Conn, at)
	case mark.PostStartBegan:
		l.PostStarts = append(l.PostStarts, Hook{Began: at, connection: r.Conn})
	case mark.PostStartEnded:
		end(l.PostStarts, r.Conn, at)
	}
}

// end closes the first open run of a hook on a connection.
func end(hooks []Hook, connection uint64, at Instant) {
	for i := range hooks {
		if h := &hooks[i]; h.connection == connection && h.Ended == nil {
			h.Ended = &at
			return
		}
	}
}

// instant dates a mark: by its arrival, which may be later than the event by the way from sender to
// recorder. A closed connection has no sender's stamp: it may be late by deathSeen and by what the recorder
// was stalled just before.
func instant(r mark.Record, n delay.Record) Instant {
	early := int64(deathSeen) + int64(n.OfMark(r.At))
	if r.Sent != 0 {
		early = max(0, r.At-r.Sent)
	}
	return Instant{At: r.At, Early: early}
}
