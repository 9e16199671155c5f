package trace

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/virtual/wire"
)

const second = int64(time.Second)

var began = start.UnixNano()

func made(entries ...Entry) Trace {
	o := Origin{Fault: began, Namespace: "podclock", Pod: "area-name-virtual-1"}
	return New("area/name", "subject", 1, o, entries)
}

func stop(at float64, timeout string) Entry {
	return Entry{
		At: began + int64(at*float64(second)), Kind: wire.KindCRI,
		Pod: "podclock/area-name-virtual-1", Container: "main",
		What: "StopContainer", Text: `["podclock/area-name-virtual-1/main-1",` + timeout + `]`,
	}
}

func relist(at float64) Entry {
	return Entry{At: began + int64(at*float64(second)), Kind: wire.KindCRI, What: "ListContainers", Text: "{}"}
}

func status(at float64, phase string) Entry {
	return Entry{
		At: began + int64(at*float64(second)), Kind: wire.KindAPI, Pod: "podclock/area-name-virtual-1",
		What: "patch pods/status", Text: `{"status":{"phase":"` + phase + `"}}`,
	}
}

func TestTracesHaveStableTimesAndNames(t *testing.T) {
	g := NewWithT(t)
	o := Origin{
		Version: "v1.36.3+mutant", Fault: began + 40*second, Namespace: "podclock", Pod: "area-name-virtual-1",
	}
	e := stop(42, "30")
	e.Text += ` {"startTime":"2000-01-01T00:00:39Z","deletionTimestamp":"2000-01-01T00:01:10Z"}`
	e.Text += ` v1.36.3+mutant`
	e.Error = `pod "area-name-virtual-1-other" not found`
	made := New("area/name", "subject", 7, o, []Entry{e})
	g.Expect(made.Fault).To(Equal(40 * second))
	got := made.Entries[0]
	g.Expect(got.At).To(Equal(42 * second))
	g.Expect(got.Pod).To(Equal("pod"))
	g.Expect(got.Text).To(Equal(`["pod/main-1",30] {"startTime":"T+39s","deletionTimestamp":"T+1m10s"} VERSION`))
	g.Expect(got.Error).To(Equal(`pod "pod-other" not found`))
}

// The scheduler orders what different goroutines do at one instant. What one goroutine does keeps its order.
func TestEntriesOfOneInstantHaveACanonicalOrder(t *testing.T) {
	g := NewWithT(t)
	other := stop(1, "30")
	other.Container = "second"
	next := stop(1, "30")
	next.What = "StartContainer"
	one := []Entry{relist(0.5), stop(1, "30"), next, other, relist(1), status(1, "Failed")}
	two := []Entry{relist(0.5), status(1, "Failed"), other, relist(1), stop(1, "30"), next}
	g.Expect(made(one...)).To(Equal(made(two...)))
	swapped := []Entry{relist(0.5), next, stop(1, "30"), other, relist(1), status(1, "Failed")}
	g.Expect(made(swapped...)).NotTo(Equal(made(one...)))
	g.Expect(First(made(one...), made(swapped...)).Change).To(Equal(Swapped))
}

func TestFirstDifference(t *testing.T) {
	usual := []Entry{
		relist(0), stop(0.2, "30"), relist(1), relist(2), status(2.1, "Running"),
		relist(3), status(3.1, "Failed"), relist(4),
	}
	answered := func(e Entry, took int64, err string) Entry {
		e.Took, e.Error = took, err
		return e
	}
	changed := func(i int, with ...Entry) []Entry { return slices.Replace(slices.Clone(usual), i, i+1, with...) }
	for name, c := range map[string]struct {
		after  []Entry
		change Change
		what   string
		detail string
	}{
		"later": {changed(1, stop(0.4, "30")), Moved, "StopContainer", "+200ms"},
		"after others": {
			slices.Concat(usual[:1], usual[2:3], []Entry{stop(1.5, "30")}, usual[3:]), Moved, "StopContainer", "+1.3s",
		},
		"earlier":             {changed(1, stop(0.1, "30")), Moved, "StopContainer", "-100ms"},
		"other arguments":     {changed(1, stop(0.2, "28")), Altered, "StopContainer", "30 → 28"},
		"one more call":       {changed(2, relist(1), relist(1.5)), Extra, "ListContainers", ""},
		"one call less":       {changed(3), Missing, "ListContainers", ""},
		"a lost status write": {changed(4), Missing, "patch pods/status", ""},
		"other status":        {changed(4, status(2.1, "Pending")), Altered, "patch pods/status", `Running → Pending`},
		"one more call of an instant": {
			changed(3, relist(2), relist(2)), Extra, "ListContainers", "",
		},
		"a longer call": {
			changed(1, answered(stop(0.2, "30"), second, "")), Answered, "StopContainer",
			"answered after 0s → answered after 1s",
		},
		"an error": {
			changed(1, answered(stop(0.2, "30"), 0, "gone")), Answered, "StopContainer", "no error → gone",
		},
		"an end":    {usual[:7], Missing, "ListContainers", ""},
		"more":      {append(slices.Clone(usual), relist(5)), Extra, "ListContainers", ""},
		"unchanged": {usual, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			d := First(made(usual...), made(c.after...))
			if c.change == "" {
				g.Expect(d).To(BeNil())
				return
			}
			g.Expect(d).NotTo(BeNil())
			g.Expect(d.Change).To(Equal(c.change))
			g.Expect(d.Entry.What).To(Equal(c.what))
			g.Expect(d.Detail()).To(Equal(c.detail))
		})
	}
}

// A call that comes first, and that the instant has anyway, is one more, not another order.
func TestOneMoreCallOfAnInstant(t *testing.T) {
	g := NewWithT(t)
	look := stop(1, "30")
	look.What = "ContainerStatus"
	d := First(made(stop(1, "30"), look), made(look, stop(1, "30"), look))
	g.Expect(d.Change).To(Equal(Extra))
	g.Expect(d.Entry.What).To(Equal("ContainerStatus"))
}

func TestOneChangeIsOneGroup(t *testing.T) {
	g := NewWithT(t)
	before, after := Side{Name: "a"}, Side{Name: "b"}
	add := func(trial string, was, is []Entry) {
		x, y := made(was...), made(is...)
		x.Trial, y.Trial = trial, trial
		before.Traces, after.Traces = append(before.Traces, x), append(after.Traces, y)
	}
	add("x/1", []Entry{stop(1, "30")}, []Entry{stop(1.2, "30")})
	add("x/2", []Entry{stop(2, "30")}, []Entry{stop(2.2, "30")})
	add("x/3", []Entry{stop(2, "30")}, []Entry{stop(5, "30")})
	add("y/1", []Entry{status(1, "Running"), stop(1, "30")}, []Entry{status(1.2, "Running"), stop(1.2, "30")})
	add("x/4", []Entry{status(2, "Failed")}, nil)
	add("x/5", []Entry{status(2, "Failed")}, []Entry{status(2, "Failed")})
	r := Compare(before, after)
	g.Expect(r.Compared).To(Equal(6))
	g.Expect(r.Same).To(Equal(1))
	g.Expect(r.ExitCode()).To(Equal(run.ExitChanged))
	g.Expect(r.Groups).To(HaveLen(2))
	g.Expect(r.Groups[0].String()).To(Equal("moved call StopContainer, request patch pods/status"))
	g.Expect(r.Groups[0].Trials).To(Equal([]string{"x/1", "x/2", "x/3", "y/1"}))
	g.Expect(r.Groups[0].Details).To(Equal([]Detail{{"+200ms", 3}, {"+3s", 1}}))
	g.Expect(r.Groups[1].String()).To(Equal("missing request patch pods/status"))

	g.Expect(Compare(before, before).ExitCode()).To(Equal(run.ExitConforms))
	g.Expect(Compare(before, Side{}).ExitCode()).To(Equal(run.ExitUnjudged))
	g.Expect(Compare(before, Side{Traces: before.Traces[1:]}).OnlyBefore).To(Equal([]string{"x/1"}))
	for i := range after.Traces {
		after.Traces[i].Seed = 2
	}
	g.Expect(Compare(before, after).Compared).To(BeZero())
}

func TestShiftsNeedMoreThanChance(t *testing.T) {
	g := NewWithT(t)
	values := func(claim string, all ...int64) (v []Value) {
		for _, one := range all {
			v = append(v, Value{"x/1", claim, "ns", one})
		}
		return v
	}
	before := slices.Concat(
		values("same", 1, 5, 3, 2, 4, 6), values("far", 1, 2, 3, 4, 5, 6), values("constant", 7, 7, 7))
	after := slices.Concat(
		values("same", 6, 5, 1, 2, 4, 3), values("far", 11, 12, 13, 14, 15, 16), values("constant", 8, 8, 8))
	var moved []string
	for _, s := range shifts(before, after) {
		moved = append(moved, s.Claim)
	}
	g.Expect(moved).To(Equal([]string{"constant", "far"}))
	g.Expect(shifts(values("few", 1, 2), values("few", 3, 4))).To(BeEmpty())

	// R: wilcox.test(1:3, 4:6) and wilcox.test(1:5, c(2.5, 3.5, 6:8))
	g.Expect(rankSum([]int64{1, 2, 3}, []int64{4, 5, 6})).To(BeNumerically("~", 0.1, 1e-9))
	g.Expect(rankSum([]int64{2, 4, 6, 8, 10}, []int64{5, 7, 12, 14, 16})).To(BeNumerically("~", 0.1508, 1e-4))
	g.Expect(rankSum([]int64{1, 1, 1}, []int64{1, 1, 1})).To(BeNumerically("~", 1, 1e-9))
}

func TestSavedTraces(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	_, err := Load(dir)
	g.Expect(err).To(MatchError(ErrNone))
	first, again := made(stop(1, "30")), made(stop(2, "30"))
	other := made(relist(1))
	other.Trial = "area/other"
	for _, traces := range [][]Trace{{first, other}, {again}} { // a run that continues
		w, err := Create(dir)
		g.Expect(err).NotTo(HaveOccurred())
		for _, t := range traces {
			w.Add(t)
		}
		g.Expect(w.Close()).To(Succeed())
	}
	g.Expect(Load(dir)).To(Equal([]Trace{again, other}))

	file := filepath.Join(dir, File)
	data, err := os.ReadFile(file)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.WriteFile(file, data[:len(data)-100], 0o600)).To(Succeed())
	g.Expect(Load(dir)).To(Equal([]Trace{first, other}), "podclock was killed while it wrote the third")
	g.Expect(os.WriteFile(file, []byte("no gzip"), 0o600)).To(Succeed())
	_, err = Load(dir)
	g.Expect(err).To(MatchError(ContainSubstring(file)))
}
