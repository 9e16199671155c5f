package timeline

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/mark"
)

func TestOneLife(t *testing.T) {
	g := gomega.NewWithT(t)
	tl := Build(oneLife().evidence(20000), delay.Record{})
	g.Expect(tl.Doubts).To(gomega.BeEmpty())
	g.Expect(tl.Pod).To(gomega.Equal("ns/pod"))
	life := tl.Life("victim", 1)
	g.Expect(life.Number).To(gomega.Equal(1))
	g.Expect(life.Connected.At).To(gomega.Equal(at(50)))
	g.Expect(life.Started.At).To(gomega.Equal(at(100)))
	g.Expect(life.SIGTERM().At).To(gomega.Equal(at(5000)))
	g.Expect(life.Gone.At).To(gomega.Equal(at(7000)))
	g.Expect(life.Exiting).To(gomega.BeNil())
	g.Expect(life.ExitCode).To(gomega.BeNil(), "marks know no exit code")
}

// Life returns nil for a life that does not exist.
func TestLivesThatAreNot(t *testing.T) {
	tl := Build(oneLife().evidence(20000), delay.Record{})
	for _, c := range []struct {
		container string
		life      int
	}{{"victim", 0}, {"victim", -1}, {"victim", 2}, {"neighbour", 1}, {"", 1}} {
		gomega.NewWithT(t).Expect(tl.Life(c.container, c.life)).To(gomega.BeNil(), "%+v", c)
	}
	empty := Build(Evidence{}, delay.Record{})
	gomega.NewWithT(t).Expect(empty.Containers).To(gomega.BeEmpty())
	gomega.NewWithT(t).Expect((&Life{}).SIGTERM()).To(gomega.BeNil())
}

func TestRestarts(t *testing.T) {
	g := gomega.NewWithT(t)
	x := &tape{}
	x.process(0, 1, "victim", mark.Run, 1).says(10, mark.Started).probed(1000, "liveness", "F").
		says(1200, mark.Exiting).recorder(1201, mark.Gone)
	x.process(2000, 2, "victim", mark.Run, 2).says(2010, mark.Started).says(3000, mark.SIGTERM).
		recorder(3001, mark.Gone)
	x.process(4000, 3, "victim", mark.Run, 3).says(4010, mark.Started)
	tl := Build(x.evidence(5000), delay.Record{})
	g.Expect(tl.Doubts).To(gomega.BeEmpty(), "each connection counts its own marks")
	g.Expect(tl.Containers["victim"].Lives).To(gomega.HaveLen(3))
	g.Expect(tl.Life("victim", 1).Exiting.At).To(gomega.Equal(at(1200)))
	g.Expect(tl.Life("victim", 1).SIGTERMs).To(gomega.BeEmpty())
	g.Expect(tl.Life("victim", 2).Started.At).To(gomega.Equal(at(2010)))
	g.Expect(tl.Life("victim", 3).Gone).To(gomega.BeNil(), "it lives")
}

// An exec hook is a process of its own. It ends with its mark. A hook that is killed has no end.
func TestExecHooks(t *testing.T) {
	x := oneLife()
	x.process(1000, 2, "victim", mark.Hook, 1).says(1010, mark.HookBegan).says(4510, mark.HookEnded).
		recorder(4511, mark.Gone)
	x.process(4600, 3, "victim", mark.Hook, 1).says(4610, mark.HookBegan).recorder(7000, mark.Gone)
	tl := Build(x.evidence(20000), delay.Record{})
	g := gomega.NewWithT(t)
	hooks := tl.Life("victim", 1).Hooks
	g.Expect(hooks).To(gomega.HaveLen(2))
	g.Expect(hooks[0].Began.At).To(gomega.Equal(at(1010)))
	g.Expect(hooks[0].Ended.At).To(gomega.Equal(at(4510)))
	g.Expect(hooks[1].Ended).To(gomega.BeNil(), "a hook that is killed never ended")
	g.Expect(tl.Life("victim", 1).Gone.At).To(gomega.Equal(at(7000)), "a hook's end is not the container's")
}

// Each of two concurrent hooks ends on its own connection.
func TestHooksSideBySide(t *testing.T) {
	x := oneLife()
	first := x.process(1000, 2, "victim", mark.Hook, 1).says(1010, mark.HookBegan)
	second := x.process(1100, 3, "victim", mark.Hook, 1).says(1110, mark.HookBegan)
	second.says(2000, mark.HookEnded)
	first.says(3000, mark.HookEnded)
	hooks := Build(x.evidence(20000), delay.Record{}).Life("victim", 1).Hooks
	g := gomega.NewWithT(t)
	g.Expect(hooks[0].Ended.At).To(gomega.Equal(at(3000)))
	g.Expect(hooks[1].Ended.At).To(gomega.Equal(at(2000)))
}

// An HTTP hook uses the main process's connection.
func TestHTTPHook(t *testing.T) {
	g := gomega.NewWithT(t)
	x := &tape{}
	x.process(0, 1, "victim", mark.Run, 1).says(10, mark.Started).says(1000, mark.HookBegan).says(3500, mark.HookEnded).
		says(3510, mark.SIGTERM).recorder(9000, mark.Gone)
	x.process(0, 2, "hanging", mark.Run, 1).says(10, mark.Started).says(1000, mark.HookBegan).says(7000, mark.SIGTERM).
		recorder(9000, mark.Gone)
	tl := Build(x.evidence(20000), delay.Record{})
	g.Expect(tl.Doubts).To(gomega.BeEmpty())
	g.Expect(tl.Life("victim", 1).Hooks).To(gomega.HaveLen(1))
	g.Expect(tl.Life("victim", 1).Hooks[0].Ended.At).To(gomega.Equal(at(3500)))
	g.Expect(tl.Life("hanging", 1).Hooks[0].Ended).To(gomega.BeNil())
}

// A hook before its main process has connected makes no life.
func TestHookWithoutALife(t *testing.T) {
	g := gomega.NewWithT(t)
	x := &tape{}
	x.process(0, 1, "victim", mark.Hook, 0).says(10, mark.HookBegan)
	tl := Build(x.evidence(1000), delay.Record{})
	g.Expect(tl.Containers).To(gomega.BeEmpty())
	g.Expect(tl.Doubts).To(gomega.BeEmpty())
	x.process(20, 2, "victim", mark.Run, 0).says(30, mark.Started)
	g.Expect(Build(x.evidence(1000), delay.Record{}).Doubts).NotTo(gomega.BeEmpty(), "a main process always has a life")
}

func TestSeveralContainers(t *testing.T) {
	g := gomega.NewWithT(t)
	x := oneLife()
	x.process(60, 2, "neighbour", mark.Run, 1).says(110, mark.Started).says(5001, mark.SIGTERM).
		says(5100, mark.SIGTERM).recorder(7001, mark.Gone)
	tl := Build(x.evidence(20000), delay.Record{})
	g.Expect(tl.Containers).To(gomega.HaveLen(2))
	g.Expect(tl.Life("neighbour", 1).SIGTERMs).To(gomega.HaveLen(2))
	g.Expect(tl.Life("victim", 1).SIGTERMs).To(gomega.HaveLen(1))
	g.Expect(tl.Life("neighbour", 1).SIGTERM().At).To(gomega.Equal(at(5001)), "the first counts")
}

// Several requests of one attempt to pull an image are one pull, dated by the first.
func TestPulls(t *testing.T) {
	g := gomega.NewWithT(t)
	e := oneLife().evidence(60000)
	for _, ms := range []int64{1000, 1040, 1300, 12000, 12050, 33000} {
		of := mark.Identity{Pod: "ns/pod", Container: "waiting"}
		e.Marks = append(e.Marks, mark.Record{Kind: mark.Pulled, At: at(ms), Identity: of})
	}
	tl := Build(e, delay.Record{})
	g.Expect(tl.Doubts).To(gomega.BeEmpty())
	var pulls []int64
	for _, p := range tl.Containers["waiting"].Pulls {
		pulls = append(pulls, p.At)
	}
	g.Expect(pulls).To(gomega.Equal([]int64{at(1000), at(12000), at(33000)}))
	g.Expect(tl.Life("waiting", 1)).To(gomega.BeNil())
}

func TestFailedInARow(t *testing.T) {
	for script, want := range map[string]int{
		"": 0, "F": 1, "FFF": 3, "FFS": 0, "FSFF": 2, "HFH": 3, "SSS": 0, "FFE": 0, "FL": 0, "LF": 1,
	} {
		life := &Life{}
		for _, answer := range script {
			probe := Probe{For: "liveness", Answer: string(answer)}
			life.Probes = append(life.Probes, probe, Probe{For: "startup", Answer: "S"})
		}
		gomega.NewWithT(t).Expect(life.FailedInARow("liveness")).To(gomega.Equal(want), script)
		gomega.NewWithT(t).Expect(life.FailedInARow("readiness")).To(gomega.BeZero(), script)
	}
}

// A mark may have happened earlier by its way to the recorder. A fast clock changes nothing. A clock that was set
// causes a doubt.
func TestObserverErrorOfAMark(t *testing.T) {
	for name, c := range map[string]struct{ sent, want time.Duration }{
		"on its way for 0.3 ms":         {300 * time.Microsecond, 300 * time.Microsecond},
		"sender's clock runs ahead":     {-time.Second, 0},
		"sender's clock is an hour off": {time.Hour, time.Hour},
	} {
		r := mark.Record{At: at(1000), N: 1, Kind: mark.Started, Sent: at(1000) - int64(c.sent)}
		got := instant(r, delay.Record{})
		gomega.NewWithT(t).Expect(got).To(gomega.Equal(Instant{At: at(1000), Early: int64(c.want)}), name)
		r.Identity, r.Life = mark.Identity{Container: "victim", Role: mark.Run}, 1
		tl := Build(Evidence{Marks: []mark.Record{r}}, delay.Record{})
		gomega.NewWithT(t).Expect(len(tl.Doubts) > 0).To(gomega.Equal(c.want > longestWay), name)
	}
}

// A death is seen at most two milliseconds late, unless the recorder had a late tick.
func TestObserverErrorOfADeath(t *testing.T) {
	n := delay.Record{LateTicks: []delay.Span{{From: at(1000), To: at(1300)}}}
	for ms, want := range map[int64]time.Duration{
		999:  2 * time.Millisecond,
		1000: 2 * time.Millisecond,
		1200: 202 * time.Millisecond,
		1300: 302 * time.Millisecond,
		1310: 312 * time.Millisecond,
		1311: 2 * time.Millisecond,
	} {
		got := instant(mark.Record{At: at(ms), Kind: mark.Gone}, n)
		gomega.NewWithT(t).Expect(got).To(gomega.Equal(Instant{At: at(ms), Early: int64(want)}), "%d ms", ms)
	}
}
