package drawing

// BarKind is what a bar shows. Each has its own look, told apart by shape and pattern as well as by colour.
type BarKind string

const (
	Life      BarKind = "life"       // a run of a container
	Grace     BarKind = "grace"      // the grace period that a deletion or a kill announced
	Hook      BarKind = "preStop"    // a preStop hook
	PostStart BarKind = "postStart"  // a postStart hook
	Probe     BarKind = "probe"      // an attempt of a probe, from its arrival to its answer
	BackOff   BarKind = "back-off"   // the kubelet's wait before it restarts a container
	Pull      BarKind = "image pull" // an image on its way
	Waiting   BarKind = "waiting"    // any other time before something can begin
	Outage    BarKind = "outage"     // a time in which an observer or the kubelet was away
)

// MarkKind is what a mark shows, see BarKind.
type MarkKind string

const (
	Cue      MarkKind = "cue"             // what the harness, or whoever asks for a prediction, does to the pod
	Started  MarkKind = "started"         // a process runs
	SIGTERM  MarkKind = "SIGTERM"         // a process is asked to end
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

const (
	Implemented Oracle = "implemented" // what this version's code computes
	Documented  Oracle = "documented"  // what the documentation promises
)
