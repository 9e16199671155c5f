package drawing

// BarKind is what a bar shows.
type BarKind string

// Each kind of bar has its own pattern, so that it is told apart without its colour.
const (
	Life      BarKind = "life"      // a run of a container
	Grace     BarKind = "grace"     // the grace period that a deletion or a kill announced
	Hook      BarKind = "preStop"   // a preStop hook
	PostStart BarKind = "postStart" // a postStart hook
	Probe     BarKind = "probe"     // an attempt of a probe, from its arrival to its answer, or probes in a row
	BackOff   BarKind = "back-off"  // the kubelet's wait before it restarts a container
	Fill      BarKind = "fill"      // a volume or a layer that is being filled
	Waiting   BarKind = "waiting"   // any other time before something can begin
	Outage    BarKind = "outage"    // a time in which an observer, the runtime or the kubelet was away
)

// MarkKind is what a mark shows.
type MarkKind string

// Each kind of mark has its own shape.
const (
	Cue      MarkKind = "cue"             // what the harness, or whoever asks for a prediction, does to the pod
	Started  MarkKind = "started"         // a process runs
	SIGTERM  MarkKind = "SIGTERM"         // a process is asked to end, by whichever signal
	SIGKILL  MarkKind = "SIGKILL"         // a process is made to end
	Death    MarkKind = "death"           // a process is gone
	Answered MarkKind = "probe succeeded" // a probe's attempt with a good answer
	Failed   MarkKind = "probe failed"    // a probe's attempt with a bad answer
	Hung     MarkKind = "probe hung"      // a probe's attempt without an answer
	Event    MarkKind = "event"           // an event that a component wrote
	Change   MarkKind = "API change"      // a change of the object in the API server
)

// Oracle is where a window comes from.
type Oracle string

// The two oracles are drawn over each other and never mixed up.
const (
	Implemented Oracle = "implemented" // what this version's code computes
	Documented  Oracle = "documented"  // what the documentation promises
)

// barLook is how a kind of bar is drawn: its class in SVG, its letter in text.
type barLook struct {
	kind  BarKind
	class string
	glyph rune
}

// barLooks are the kinds of bars in the order of the key.
var barLooks = []barLook{
	{Life, "l", '━'}, {Grace, "g", '░'}, {Hook, "h", '▒'}, {PostStart, "p", '▓'}, {Probe, "q", '─'},
	{BackOff, "b", '┄'}, {Fill, "f", '▄'}, {Waiting, "w", '·'}, {Outage, "o", '╳'},
}

// markLook is how a kind of mark is drawn: the name of its shape in SVG, its letter in text.
type markLook struct {
	kind  MarkKind
	shape string
	glyph rune
	lane  laneRole
}

// markLooks are the kinds of marks in the order of the key, the ones that hide others last.
var markLooks = []markLook{
	{
		Cue,
		"c",
		'↓',
		process,
	},
	{Started, "s", '├', process},
	{SIGTERM, "t", 'T', process},
	{SIGKILL, "k", 'K', process},
	{Death, "x", '┤', process},
	{Answered, "a", '+', probes},
	{Failed, "f", 'x', probes},
	{Hung, "h", '?', probes},
	{Event, "e", '!', told},
	{Change, "v", ':', told},
}

// look is how a bar is drawn; a kind that is none of the ten looks like waiting.
func (k BarKind) look() barLook {
	waiting := barLook{}
	for _, l := range barLooks {
		if l.kind == k {
			return l
		}
		if l.kind == Waiting {
			waiting = l
		}
	}
	return waiting
}

// look is how a mark is drawn; a kind that is none of the ten looks like an event.
func (k MarkKind) look() markLook {
	event := markLook{}
	for _, l := range markLooks {
		if l.kind == k {
			return l
		}
		if l.kind == Event {
			event = l
		}
	}
	return event
}
