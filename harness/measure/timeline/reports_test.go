package timeline

import (
	"slices"
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
)

// kinds returns the kinds of a timeline's misreports.
func kinds(t *Timeline) (all []Report) {
	for _, m := range t.Misreports {
		if !slices.Contains(all, m.Report) {
			all = append(all, m.Report)
		}
	}
	return all
}

// some returns the report if it is expected to be wrong, else none.
func some(wrong bool, r Report) []Report {
	if !wrong {
		return nil
	}
	return []Report{r}
}

// ended returns a pod's object that shows the end of a life, this many seconds after zero.
func ended(life int, second int64, exitCode int32) Change {
	return Change{At: Instant{At: at(second*1000 + 500)}, Containers: []ContainerStatus{{
		Name: "victim", RestartCount: int32(life - 1), State: "terminated",
		Ended: &End{Life: life, ExitCode: exitCode, FinishedAt: zero/int64(time.Second) + second},
	}}}
}

// The death is at 7.0 s. The API may show it in whole seconds, and half a second late.
func TestAPIAgainstADeath(t *testing.T) {
	for second, wrong := range map[int64]bool{4: true, 5: true, 6: false, 7: false, 8: true, 10: true} {
		e := oneLife().evidence(60000)
		e.API = Shown(ended(1, second, 137))
		e.API[0].At = Instant{At: at(11000)}
		tl := Build(e, delay.Record{})
		g := gomega.NewWithT(t)
		g.Expect(kinds(tl)).To(gomega.Equal(some(wrong, EndDated)), "finishedAt %d s: %v", second, tl.Misreports)
		g.Expect(*tl.Life("victim", 1).ExitCode).To(gomega.Equal(int32(137)))
	}
}

// The API shows the death at 7.0 s before it comes. The clocks may differ, and the recorder may be late.
func TestAPIShowsAnEndBeforeTheDeath(t *testing.T) {
	for shown, c := range map[Instant]struct {
		late  int64
		wrong bool
	}{
		{At: at(6499)}:                        {0, true},
		{At: at(6501)}:                        {0, false},
		{At: at(3000)}:                        {0, true},
		{At: at(6000), Late: 600}:             {0, true},
		{At: at(6000), Late: at(600) - at(0)}: {0, false},
		{At: at(6001)}:                        {600, false},
		{At: at(6002)}:                        {400, true},
	} {
		e := oneLife().evidence(60000)
		e.API = Shown(ended(1, 6, 137))
		e.API[0].At = shown
		n := delay.Record{}
		if c.late > 0 {
			n.LateTicks = []delay.Span{{From: at(6900 - c.late), To: at(6900)}}
		}
		tl := Build(e, n)
		gomega.NewWithT(t).Expect(kinds(tl)).To(gomega.Equal(some(c.wrong, EndShown)), "%v: %v", shown, tl.Misreports)
	}
}

// The node's delay around the death can make the API late.
func TestAPIAgainstADeathOnABusyNode(t *testing.T) {
	e := oneLife().evidence(60000)
	e.API = Shown(ended(1, 8, 137))
	for late, wrong := range map[int64]bool{400: true, 600: false} {
		n := delay.Record{LateTicks: []delay.Span{{From: at(7000), To: at(7000 + late)}}}
		gomega.NewWithT(t).Expect(kinds(Build(e, n))).To(gomega.Equal(some(wrong, EndDated)), "late by %d ms", late)
	}
}

// A sandbox ends at 7.0 s, and two containers with it. For three seconds, some task waits for 0.7 of the time.
func TestDeathsWithTheirSandboxOnABusyNode(t *testing.T) {
	for name, c := range map[string]struct {
		neighbour func(s sender)
		second    int64
		busy      bool
		wrong     bool
	}{
		"together":                {func(s sender) { s.recorder(7010, mark.Gone) }, 9, true, false},
		"together, much later":    {func(s sender) { s.recorder(7010, mark.Gone) }, 11, true, true},
		"together, too early":     {func(s sender) { s.recorder(7010, mark.Gone) }, 5, true, true},
		"together, an idle node":  {func(s sender) { s.recorder(7010, mark.Gone) }, 9, false, true},
		"one after the other":     {func(s sender) { s.recorder(7200, mark.Gone) }, 9, true, true},
		"the other lives on":      {func(sender) {}, 9, true, true},
		"the other was stopped":   {func(s sender) { s.says(6000, mark.SIGTERM).recorder(7010, mark.Gone) }, 9, true, true},
		"the other ended by exit": {func(s sender) { s.says(7005, mark.Exiting).recorder(7010, mark.Gone) }, 9, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			x := &tape{}
			x.process(50, 1, "victim", mark.Run, 1).says(100, mark.Started).recorder(7000, mark.Gone)
			c.neighbour(x.process(60, 2, "neighbour", mark.Run, 1).says(110, mark.Started))
			e := x.evidence(60000)
			e.API = Shown(ended(1, c.second, 137))
			e.API[0].At = Instant{At: at(15000)}
			r := delay.Record{}
			for ms := int64(0); c.busy && ms <= 20000; ms += 100 {
				waited := min(max(0, ms-7000), 3000) * int64(time.Millisecond) * 7 / 10
				r.PSI = append(r.PSI, delay.Sample{At: at(ms), CPUNS: waited})
			}
			tl := Build(e, r)
			gomega.NewWithT(t).Expect(kinds(tl)).To(gomega.Equal(some(c.wrong, EndDated)), "%v", tl.Misreports)
		})
	}
}

func TestAPIAgainstMarks(t *testing.T) {
	for name, c := range map[string]struct {
		change Change
		known  int64
		doubts int
	}{
		"an end of an unknown life":             {ended(2, 9, 1), 60000, 1},
		"an end of a life whose marks may come": {ended(2, 9, 1), 9500, 0},
		"an end without a life":                 {ended(0, 9, 1), 60000, 1},
		"an end not dated":                      {ended(1, -zero/int64(time.Second), 1), 60000, 0},
		"a container that still runs": {
			Change{Containers: []ContainerStatus{{Name: "victim", State: "running"}}}, 60000, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := oneLife().evidence(c.known)
			// The API repeats itself in every change, but there is one doubt.
			e.API = Shown(c.change, c.change, c.change)
			gomega.NewWithT(t).Expect(Build(e, delay.Record{}).Doubts).To(gomega.HaveLen(c.doubts))
		})
	}
}

// The runtime could not start an instance at 9 s. It has no marks, and the lives after it are numbered wrongly. An end
// of a process with the same exit code and another reason stays a misreport.
func TestInstanceThatNeverStarted(t *testing.T) {
	g := gomega.NewWithT(t)
	e := oneLife().evidence(60000)
	failed := ended(2, 9, 128)
	failed.Containers[0].Ended.Reason = neverStarted
	e.API = Shown(failed)
	tl := Build(e, delay.Record{})
	g.Expect(tl.Misreports).To(gomega.BeEmpty())
	g.Expect(tl.Doubts).To(gomega.ConsistOf(gomega.And(
		gomega.HaveField("Container", "victim"), gomega.HaveField("Since", at(7500)))))
	e.Marks = nil
	g.Expect(Build(e, delay.Record{}).Doubts).To(gomega.BeEmpty(), "no life has a wrong number")
	wrong := ended(1, 7, 128)
	wrong.Containers[0].Ended.Reason = "Error"
	e.API, e.Marks = Shown(wrong), oneLife().evidence(60000).Marks
	g.Expect(kinds(Build(e, delay.Record{}))).To(gomega.Equal([]Report{ExitCodeShown}))
}

func TestAPIShowsAnEndButTheConnectionIsOpen(t *testing.T) {
	x := &tape{}
	x.process(50, 1, "victim", mark.Run, 1).says(100, mark.Started)
	g := gomega.NewWithT(t)
	e := x.evidence(60000)
	e.API = Shown(ended(1, 7, 137), ended(1, 7, 137))
	tl := Build(e, delay.Record{})
	g.Expect(tl.Misreports).To(gomega.HaveLen(1))
	g.Expect(kinds(tl)).To(gomega.Equal([]Report{EndShown}))
	g.Expect(tl.Doubts).To(gomega.BeEmpty())
	tl = Build(e, delay.Record{LateTicks: []delay.Span{{From: at(7000), To: at(60000)}}})
	g.Expect(tl.Misreports).To(gomega.BeEmpty(), "the recorder may not have run")
	g.Expect(tl.Doubts).To(gomega.HaveLen(1))
	e.Known = at(7900)
	g.Expect(kinds(Build(e, delay.Record{}))).To(gomega.BeEmpty(), "the mark of the death may be on its way")
}

func TestExitCodesAndTheObjectsEnd(t *testing.T) {
	g := gomega.NewWithT(t)
	x := &tape{}
	x.process(0, 1, "victim", mark.Run, 1).says(10, mark.Started).recorder(3000, mark.Gone)
	x.process(4000, 2, "victim", mark.Run, 2).says(4010, mark.Started).recorder(8000, mark.Gone)
	e := x.evidence(60000)
	gone := Change{At: Instant{At: at(9000), Early: 5}, Deleted: true}
	e.API = Shown(ended(1, 3, 1), ended(1, 3, 1), ended(2, 8, 137), gone)
	tl := Build(e, delay.Record{})
	g.Expect(tl.Doubts).To(gomega.BeEmpty())
	g.Expect(*tl.Life("victim", 1).ExitCode).To(gomega.Equal(int32(1)))
	g.Expect(*tl.Life("victim", 2).ExitCode).To(gomega.Equal(int32(137)))
	g.Expect(*tl.ObjectDeleted).To(gomega.Equal(Instant{At: at(9000), Early: 5}))
}

// The exit code shows that the victim could not do what its spec asks. The kubelet is not at fault.
func TestVictimThatCannotDoItsSpec(t *testing.T) {
	for code, doubts := range map[int32]bool{
		0: false, 1: false, victim.ExitUsage - 1: false, victim.ExitUsage: true, victim.ExitNotKilled: true, 137: false,
	} {
		e := oneLife().evidence(60000)
		e.API = Shown(ended(1, 7, code))
		gomega.NewWithT(t).Expect(len(Build(e, delay.Record{}).Doubts) > 0).
			To(gomega.Equal(doubts), "exit code %d", code)
	}
}

// The container saw failing probes at 1, 2 and 3 s. The kubelet must not count more. If it counts less, that is its
// fault.
func TestCounters(t *testing.T) {
	for name, c := range map[string]struct {
		readAt  int64
		counted int
		wrong   bool
	}{
		"all counted":               {60000, 3, false},
		"one fewer than came":       {60000, 2, false},
		"one more than came":        {60000, 4, true},
		"the last may be in flight": {3005, 2, false},
		"none came so early":        {500, 0, false},
		"counted before it came":    {500, 1, true},
		"none counted at all":       {60000, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			x := &tape{}
			x.process(0, 1, "victim", mark.Run, 1).says(10, mark.Started).
				probed(1000, "liveness", "F").probed(1500, "startup", "F").probed(1600, "liveness", "S").
				probed(2000, "liveness", "H").probed(3000, "liveness", "F")
			e := x.evidence(70000)
			e.Counters = &Counters{
				Asked: Instant{At: at(c.readAt)}, Answered: Instant{At: at(c.readAt + 10)},
				Failed: map[string]map[string]int{"victim": {"liveness": c.counted}, "stranger": {"liveness": 7}},
			}
			tl := Build(e, delay.Record{})
			gomega.NewWithT(t).Expect(kinds(tl)).To(gomega.Equal(some(c.wrong, FailureCounted)), "%v", tl.Misreports)
		})
	}
}

// An error, a redirect or a slow answer may count as a failure: it reached the container.
func TestCountersOfWhatIsNoFailure(t *testing.T) {
	for answer, wrong := range map[string]bool{
		"S": true, "F": false, "H": false, "E": false, "R": false, "W": false, "L": false, "N": false,
	} {
		x := &tape{}
		x.process(0, 1, "victim", mark.Run, 1).says(10, mark.Started).probed(1000, "liveness", answer)
		e := x.evidence(60000)
		e.Counters = &Counters{
			Asked:    Instant{At: at(60000)},
			Answered: Instant{At: at(60010)},
			Failed:   map[string]map[string]int{"victim": {"liveness": 1}},
		}
		gomega.NewWithT(t).Expect(kinds(Build(e, delay.Record{}))).To(gomega.Equal(some(wrong, FailureCounted)), answer)
	}
}

// The kubelet counts on over restarts, so the sum over all lives is compared.
func TestCountersOverLives(t *testing.T) {
	x := &tape{}
	x.process(0, 1, "victim", mark.Run, 1).says(10, mark.Started).probed(1000, "liveness", "F").
		recorder(1500, mark.Gone)
	x.process(2000, 2, "victim", mark.Run, 2).says(2010, mark.Started).probed(3000, "liveness", "F")
	for counted, wrong := range map[int]bool{1: false, 2: false, 3: true} {
		e := x.evidence(60000)
		e.Counters = &Counters{
			Asked:    Instant{At: at(60000)},
			Answered: Instant{At: at(60010)},
			Failed:   map[string]map[string]int{"victim": {"liveness": counted}},
		}
		gomega.NewWithT(t).Expect(kinds(Build(e, delay.Record{}))).
			To(gomega.Equal(some(wrong, FailureCounted)), "%d", counted)
	}
}

// A probe over the network may meet a dead container, which sees nothing of it: one for each life, also if the life saw
// no probe. It excuses no probe of a life that goes on, none by exec, and none after a kill for this very probe.
func TestCountersOfDeadContainers(t *testing.T) {
	byHTTP := func(x sender, ms int64, kind, answer string) {
		x.says(ms, mark.Probed, mark.Detail{Probe: &mark.ProbeDetail{For: kind, Handler: "http", Answer: answer}})
	}
	killed := func(kind, answer string) func(sender) {
		return func(x sender) {
			byHTTP(x, 1000, kind, answer)
			x.says(1500, mark.SIGTERM)
		}
	}
	for name, c := range map[string]struct {
		kind string
		life func(sender)
		ends bool
		most int
	}{
		"one that ends at once":             {"liveness", func(sender) {}, true, 1},
		"one that lives on":                 {"liveness", func(x sender) { byHTTP(x, 1000, "liveness", "S") }, false, 0},
		"one that is probed by exec":        {"liveness", func(x sender) { x.probed(1000, "liveness", "S") }, true, 0},
		"one that is killed for the probe":  {"liveness", killed("liveness", "F"), true, 1},
		"one that is killed for another":    {"liveness", killed("liveness", "S"), true, 1},
		"a readiness probe before it hears": {"readiness", func(x sender) { byHTTP(x, 1000, "readiness", "S") }, false, 1},
		"and one after its kill":            {"readiness", killed("readiness", "S"), true, 2},
	} {
		for counted := c.most; counted <= c.most+1; counted++ {
			x := &tape{}
			victim := x.process(0, 1, "victim", mark.Run, 1).says(10, mark.Started)
			c.life(victim)
			if c.ends {
				victim.recorder(2000, mark.Gone)
			}
			e := x.evidence(60000)
			e.Counters = &Counters{
				Asked: Instant{At: at(60000)}, Answered: Instant{At: at(60010)},
				Failed: map[string]map[string]int{"victim": {c.kind: counted}},
			}
			gomega.NewWithT(t).Expect(kinds(Build(e, delay.Record{}))).
				To(gomega.Equal(some(counted > c.most, FailureCounted)), "%s, %d", name, counted)
		}
	}
}

// A probe may fail on a busy node without having reached the container. That is a doubt, no misreport.
func TestCountersOnABusyNode(t *testing.T) {
	for late, doubtful := range map[int64]bool{200: false, 300: true} {
		x := &tape{}
		x.process(0, 1, "victim", mark.Run, 1).says(10, mark.Started).probed(1000, "liveness", "S")
		e := x.evidence(60000)
		e.Counters = &Counters{
			Asked: Instant{At: at(60000)}, Answered: Instant{At: at(60010)},
			Failed: map[string]map[string]int{"victim": {"liveness": 1}},
		}
		tl := Build(e, delay.Record{LateTicks: []delay.Span{{From: at(2000), To: at(2000 + late)}}})
		g := gomega.NewWithT(t)
		g.Expect(len(tl.Doubts) > 0).To(gomega.Equal(doubtful), "late by %d ms", late)
		g.Expect(kinds(tl)).To(gomega.Equal(some(!doubtful, FailureCounted)))
	}
}

// A busy node loses few probes. A kubelet that counts probes that it never sent must not hide behind it.
func TestCountersBeyondABusyNode(t *testing.T) {
	for name, c := range map[string]struct {
		counted, seen int
		late          int64
		wrong         bool
	}{
		"few":                               {counted: 4, late: 300},
		"all of five":                       {counted: 5, late: 300, wrong: true},
		"few of many":                       {counted: 5, seen: 10, late: 300},
		"half of many":                      {counted: 18, seen: 18, late: 300, wrong: true},
		"as many as come in a pause, too":   {counted: 8, late: 4000},
		"more than come in the same pause":  {counted: 11, late: 4000, wrong: true},
		"few, but no task was late so long": {counted: 1, late: 200, wrong: true},
	} {
		t.Run(name, func(t *testing.T) {
			x := &tape{}
			victim := x.process(0, 1, "victim", mark.Run, 1).says(10, mark.Started)
			for i := range c.seen {
				victim.probed(int64(1000+1000*i), "liveness", "S")
			}
			e := x.evidence(60000)
			e.Counters = &Counters{
				Asked: Instant{At: at(60000)}, Answered: Instant{At: at(60010)},
				Failed: map[string]map[string]int{"victim": {"liveness": c.counted}},
			}
			tl := Build(e, delay.Record{LateTicks: []delay.Span{{From: at(20000), To: at(20000 + c.late)}}})
			gomega.NewWithT(t).Expect(kinds(tl)).To(gomega.Equal(some(c.wrong, FailureCounted)), "%v", tl.Doubts)
		})
	}
}

// A probe over the network may meet a process that died by itself, once a life.
func TestCountersAfterACrash(t *testing.T) {
	for handler, wrong := range map[string]bool{"exec": true, "http": false, "tcp": false} {
		probe := mark.ProbeDetail{For: "liveness", Handler: handler, Answer: "S"}
		x := &tape{}
		x.process(0, 1, "victim", mark.Run, 1).says(10, mark.Started).
			says(1000, mark.Probed, mark.Detail{Probe: &probe}).
			recorder(1500, mark.Gone)
		e := x.evidence(60000)
		e.Counters = &Counters{
			Asked: Instant{At: at(60000)}, Answered: Instant{At: at(60010)},
			Failed: map[string]map[string]int{"victim": {"liveness": 1}},
		}
		gomega.NewWithT(t).Expect(kinds(Build(e, delay.Record{}))).
			To(gomega.Equal(some(wrong, FailureCounted)), handler)
	}
}

// The API must show the exit code that the process gave, or 137 if SIGKILL may have ended it.
func TestExitCodes(t *testing.T) {
	own := func(code int) mark.Detail { return mark.Detail{ExitCode: &code} }
	crash := func(x sender) { x.says(3000, mark.Exiting, own(3)) }
	obey := func(x sender) { x.says(2000, mark.SIGTERM).says(3000, mark.Exiting, own(0)) }
	ignore := func(x sender) { x.says(2000, mark.SIGTERM) }
	killed := func(sender) {}
	for name, c := range map[string]struct {
		life  func(sender)
		right []int32
	}{
		"an exit by itself":     {crash, []int32{3}},
		"an exit after SIGTERM": {obey, []int32{0, 137}},
		"SIGKILL":               {ignore, []int32{137}},
		"a signal before the handler, or SIGKILL": {killed, []int32{137, 2, 143}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, code := range []int32{0, 1, 2, 3, 137, 143, 255} {
				x := &tape{}
				life := x.process(50, 1, "victim", mark.Run, 1).says(100, mark.Started)
				c.life(life)
				life.recorder(7000, mark.Gone)
				e := x.evidence(60000)
				e.API = Shown(ended(1, 7, code))
				wrong := !slices.Contains(c.right, code)
				gomega.NewWithT(t).Expect(kinds(Build(e, delay.Record{}))).
					To(gomega.Equal(some(wrong, ExitCodeShown)), "exit code %d", code)
			}
		})
	}
}

// The API may show an end without marks: of a container that the kubelet lost, or of a process that was killed early.
func TestEndsWithoutMarks(t *testing.T) {
	shows := func(e End) *Timeline {
		changes := []Change{{Containers: []ContainerStatus{{Name: "victim", Ended: &e}}}}
		return Build(Evidence{Known: 100 * int64(time.Second), API: Shown(changes...)}, delay.Record{})
	}
	g := gomega.NewWithT(t)
	lost := shows(End{Life: 2, ExitCode: 137, Reason: "ContainerStatusUnknown"})
	g.Expect(lost.Doubts).To(gomega.BeEmpty())
	g.Expect(kinds(lost)).To(gomega.Equal([]Report{EndLost}))
	x, lostEnd := &tape{}, End{Life: 2, ExitCode: 137, Reason: "ContainerStatusUnknown"}
	x.process(100, 1, "victim", mark.Run, 1).says(200, mark.Started).recorder(6100, mark.Gone)
	e := x.evidence(60000)
	e.API = Shown(Change{Containers: []ContainerStatus{{Name: "victim", Ended: &lostEnd}}})
	g.Expect(Build(e, delay.Record{}).Life("victim", 1).ExitCode).
		To(gomega.HaveValue(gomega.BeEquivalentTo(137)), "of the life that it names wrongly")
	g.Expect(shows(End{Life: 2, ExitCode: 137, Reason: "RestartingAllContainers"}).Doubts).To(gomega.BeEmpty())
	g.Expect(shows(End{Life: 2, ExitCode: 2, StartedAt: 50, FinishedAt: 51}).Doubts).To(gomega.BeEmpty())
	g.Expect(shows(End{Life: 2, ExitCode: 137, StartedAt: 50, FinishedAt: 52}).Doubts).
		To(gomega.ConsistOf(gomega.HaveField("Why", gomega.ContainSubstring("that has no mark"))))
}

// A wrong restartCount is no doubt, because a life's start shows which one ended. If the marks lack a life,
// restartCount counts.
func TestEndsOfAWrongRestartCount(t *testing.T) {
	lives := func() *tape {
		x := &tape{}
		x.process(100, 1, "victim", mark.Run, 1).says(200, mark.Started).recorder(6100, mark.Gone)
		x.process(20100, 2, "victim", mark.Run, 2).says(20200, mark.Started).recorder(26100, mark.Gone)
		return x
	}
	shows := func(number int, start, finish int64) Change {
		second := zero / int64(time.Second)
		return Change{At: Instant{At: at(finish*1000 + 500)}, Containers: []ContainerStatus{
			{
				Name:  "victim",
				State: "terminated",
				Ended: &End{Life: number, ExitCode: 1, StartedAt: second + start, FinishedAt: second + finish},
			},
		}}
	}
	for name, c := range map[string]struct {
		shown  []Change
		doubts bool
	}{
		"right":                         {[]Change{shows(1, 0, 6), shows(2, 20, 26)}, false},
		"stuck":                         {[]Change{shows(1, 0, 6), shows(1, 20, 26)}, false},
		"stuck, and shown by the next":  {[]Change{shows(0, 0, 6), shows(0, 20, 26)}, false},
		"by two":                        {[]Change{shows(1, 0, 6), shows(3, 20, 26)}, false},
		"stuck, with another end":       {[]Change{shows(1, 0, 6), shows(1, 20, 23)}, false},
		"right, one life without marks": {[]Change{shows(1, 0, 6), shows(2, 10, 14), shows(3, 20, 26)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			e := lives().evidence(60000)
			e.API = Shown(c.shown...)
			tl := Build(e, delay.Record{})
			gomega.NewWithT(t).Expect(len(tl.Doubts) > 0).To(gomega.Equal(c.doubts), "%v", tl.Doubts)
		})
	}
}

// A life that was killed before its first mark leaves the marks one life behind the API. A kubelet that counts a
// restart of a container that has not restarted shows no such end.
func TestALifeThatWasKilledBeforeItsFirstMark(t *testing.T) {
	second := zero / int64(time.Second)
	shows := func(number int, start, finish int64, code int32) Change {
		return Change{At: Instant{At: at(finish*1000 + 500)}, Containers: []ContainerStatus{{
			Name: "victim", State: "terminated",
			Ended: &End{Life: number, ExitCode: code, StartedAt: second + start, FinishedAt: second + finish},
		}}}
	}
	for name, c := range map[string]struct {
		unmarked Change
		doubts   bool
	}{
		"by a stop signal":             {shows(2, 7, 7, 2), true},
		"by one, as the kernel does":   {shows(2, 7, 8, 143), true},
		"by SIGKILL":                   {shows(2, 7, 8, 137), true},
		"but it ended by itself":       {shows(2, 7, 7, 1), false},
		"but it lived long":            {shows(2, 7, 9, 143), false},
		"but it had no start":          {shows(2, -second, 7, 143), false},
		"but it ended with the marked": {shows(2, 25, 26, 143), false},
	} {
		x := &tape{}
		x.process(100, 1, "victim", mark.Run, 1).says(200, mark.Started).recorder(6100, mark.Gone)
		x.process(20100, 2, "victim", mark.Run, 2).says(20200, mark.Started).recorder(26100, mark.Gone)
		e := x.evidence(60000)
		e.API = Shown(shows(1, 0, 6, 143), c.unmarked, shows(3, 20, 26, 143))
		tl, g := Build(e, delay.Record{}), gomega.NewWithT(t)
		killed := gomega.ContainElement(gomega.And(gomega.HaveField("Since", at(5500)),
			gomega.HaveField("Why", gomega.ContainSubstring("was killed before its first mark"))))
		if !c.doubts {
			g.Expect(tl.Doubts).NotTo(killed, name)
			continue
		}
		g.Expect(tl.Doubts).To(killed, name)
		g.Expect(tl.Misreports).To(gomega.BeEmpty(), name)
		g.Expect(tl.Life("victim", 2).ExitCode).To(gomega.HaveValue(gomega.BeEquivalentTo(143)), "the third one's")
	}
}

// The container's second life began so soon after the first, which has no mark, that the start of the first one fits it
// as well.
func TestALifeSoonAfterOneThatWasKilledBeforeItsFirstMark(t *testing.T) {
	second := zero / int64(time.Second)
	for code, misreported := range map[int32]bool{2: false, 1: true} {
		x := &tape{}
		x.process(8081, 1, "victim", mark.Run, 1).says(8082, mark.Started).recorder(12230, mark.Gone)
		e := x.evidence(60000)
		shown := func(end End) Change {
			return Change{At: Instant{At: at(end.FinishedAt*1000 + 816)}, Containers: []ContainerStatus{{
				Name: "victim", State: "terminated",
				Ended: &End{Life: end.Life, ExitCode: end.ExitCode, StartedAt: second + end.StartedAt,
					FinishedAt: second + end.FinishedAt},
			}}}
		}
		e.API = Shown(shown(End{Life: 1, ExitCode: code, StartedAt: 6, FinishedAt: 7}),
			shown(End{Life: 2, ExitCode: 137, StartedAt: 7, FinishedAt: 12}))
		tl, g := Build(e, delay.Record{}), gomega.NewWithT(t)
		g.Expect(len(tl.Misreports) > 0).To(gomega.Equal(misreported), "exit code %d: %v", code, tl.Misreports)
		g.Expect(len(tl.Doubts) > 0).To(gomega.Equal(!misreported), "exit code %d: %v", code, tl.Doubts)
	}
}

// The runtime noticed the first life's start 1 ms after its first mark, in the next second. The second life began 1.7 s
// later.
func TestEndsOfALifeWhoseStartWasNoticedLate(t *testing.T) {
	x, second := &tape{}, zero/int64(time.Second)
	x.process(999, 1, "victim", mark.Run, 1).says(999, mark.Started).recorder(2000, mark.Gone)
	x.process(2668, 2, "victim", mark.Run, 2).says(2668, mark.Started).recorder(3673, mark.Gone)
	e := x.evidence(60000)
	e.API = Shown(Change{At: Instant{At: at(2455)}, Containers: []ContainerStatus{{
		Name: "victim", State: "terminated",
		Ended: &End{Life: 1, ExitCode: 143, StartedAt: second + 1, FinishedAt: second + 2},
	}}})
	gomega.NewWithT(t).Expect(Build(e, delay.Record{}).Misreports).To(gomega.BeEmpty())
}

// One readiness probe of each life may come over the network before the process listens. No other may.
func TestProbesThatMayComeTooEarly(t *testing.T) {
	succeeded := func(kind, handler string) []Probe {
		return []Probe{{At: Instant{At: 5}, For: kind, Handler: handler, Answer: victim.Succeed.String()}}
	}
	for name, c := range map[string]struct {
		kind, handler string
		want          int
	}{
		"readiness by HTTP": {victim.Readiness, "http", 2},
		"readiness by exec": {victim.Readiness, "exec", 0},
		"liveness by HTTP":  {victim.Liveness, "http", 0},
		"startup by gRPC":   {victim.Startup, "grpc", 0},
	} {
		probes := succeeded(c.kind, c.handler)
		container := Container{Lives: []*Life{{Probes: probes}, {Probes: probes}}}
		got := container.mayHaveFailed(c.kind, Instant{At: 10})
		gomega.NewWithT(t).Expect(got).To(gomega.Equal(c.want), name)
	}
}
