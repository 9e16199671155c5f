package drawing

// BarKind is what a bar shows.
type BarKind string

// Each kind of bar has its own pattern, which shows without colour.
const (
	Life      BarKind = "life"      // one life of a container
	Grace     BarKind = "grace"     // the grace period of a deletion or a kill
	Hook      BarKind = "preStop"   // a preStop hook
	PostStart BarKind = "postStart" // a postStart hook
	Probe     BarKind = "probe"     // a probe, from its arrival to its answer, or several in a row
	BackOff   BarKind = "back-off"  // the kubelet's wait before it restarts a container
	Fill      BarKind = "fill"      // the filling of a volume or a layer
	Waiting   BarKind = "waiting"   // any other wait
	Outage    BarKind = "outage"    // an observer, the runtime or the kubelet did not answer
)

// MarkKind is what a mark shows.
type MarkKind string

// Each kind of mark has its own shape.
const (
	Fault    MarkKind = "fault"           // what is done to the pod
	Started  MarkKind = "started"         // a process started
	SIGTERM  MarkKind = "SIGTERM"         // a process gets a signal to stop
	SIGKILL  MarkKind = "SIGKILL"         // a process is killed
	Death    MarkKind = "death"           // a process ended
	Answered MarkKind = "probe succeeded" // a probe with a good answer
	Failed   MarkKind = "probe failed"    // a probe with a bad answer
	Hung     MarkKind = "probe hung"      // a probe without an answer
	Event    MarkKind = "event"           // a Kubernetes event
	Change   MarkKind = "API change"      // a change of the API object
)

// Oracle is where a window comes from.
type Oracle string

// Both oracles are drawn over each other.
const (
	Implemented Oracle = "implemented" // what this version's code computes
	Documented  Oracle = "documented"  // what the documentation promises
)

// barLook is how a kind of bar is drawn: its class in SVG and its letter in text.
type barLook struct {
	kind  BarKind
	class string
	glyph rune
}

// barLooks are in the order of the key.
var barLooks = []barLook{
	{Life, "l", '━'}, {Grace, "g", '░'}, {Hook, "h", '▒'}, {PostStart, "p", '▓'}, {Probe, "q", '─'},
	{BackOff, "b", '┄'}, {Fill, "f", '▄'}, {Waiting, "w", '·'}, {Outage, "o", '╳'},
}

// markLook is how a kind of mark is drawn: its shape in SVG, its letter in text, and its lane.
type markLook struct {
	kind  MarkKind
	shape string
	glyph rune
	lane  laneRole
}

// markLooks are in the order of the key. A later mark hides an earlier one at the same place.
var markLooks = []markLook{
	{Fault, "c", '↓', process},
	{Started, "s", '├', process},
	{SIGTERM, "t", 'T', process},
	{SIGKILL, "k", 'K', process},
	{Death, "x", '┤', process},
	{Answered, "a", '+', probes},
	{Failed, "f", 'x', probes},
	{Hung, "h", '?', probes},
	{Event, "e", '!', api},
	{Change, "v", ':', api},
}

type laneRole int

const (
	process  laneRole = iota // lives, and what happened to them
	beside                   // bars that overlap those above
	probes                   // answers of probes
	api                      // events and changes of the API object
	promised                 // windows
)

// look returns how a bar is drawn. An unknown kind looks like waiting.
func (k BarKind) look() barLook {
	for _, l := range barLooks {
		if l.kind == k {
			return l
		}
	}
	return Waiting.look()
}

// look returns how a mark is drawn. An unknown kind looks like an event.
func (k MarkKind) look() markLook {
	for _, l := range markLooks {
		if l.kind == k {
			return l
		}
	}
	return Event.look()
}
