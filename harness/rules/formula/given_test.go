package formula

import (
	"reflect"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"
)

// Facts of the spec stay, and every other field comes from the facts.
func TestGiven(t *testing.T) {
	g := NewWithT(t)
	var spec, facts Input
	fill(reflect.ValueOf(&spec).Elem(), 1)
	fill(reflect.ValueOf(&facts).Elem(), 2)
	given := reflect.ValueOf(spec.Given(facts))
	told := []string{"Kubelet", "Kill", "Probe", "Startup", "Neighbours", "Probed", "Sidecar", "PostStart"}
	for i := range given.NumField() {
		if !given.Type().Field(i).IsExported() {
			continue // a known mistake's
		}
		name, want := given.Type().Field(i).Name, reflect.ValueOf(facts).Field(i).Interface()
		if slices.Contains(told, name) {
			want = reflect.ValueOf(spec).Field(i).Interface()
		}
		switch name {
		case "Kill":
			kill := spec.Kill
			kill.Ended, kill.HookElapsed = facts.Kill.Ended, facts.Kill.HookElapsed
			want = kill
		case "Probe":
			probe := spec.Probe
			probe.Takes = facts.Probe.Takes
			want = probe
		}
		g.Expect(given.Field(i).Interface()).To(Equal(want), name)
	}
	spec.Kill.Hook = SleepHook
	g.Expect(spec.Given(facts).Kill.HookElapsed).
		To(Equal(spec.Kill.HookElapsed), "a sleep action's time is in its spec")
}

// fill sets all fields of a value to other values than zero and than those of another number.
func fill(v reflect.Value, n int) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), n)
			}
		}
	case reflect.Bool:
		v.SetBool(n == 2)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(n))
	case reflect.String:
		v.SetString(string(rune('a' + n)))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), n, n))
	}
}

// Between the edges of a range of restarts no window is wider than at them.
func TestRestartEdges(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g := NewWithT(r)
		in := Input{Life: 2, Probe: Probe{
			Handler: rapid.SampledFrom([]string{"exec", "http"}).
				Draw(r, "handler"),
			InitialDelaySeconds: rapid.IntRange(0, 20).Draw(r, "delay"),
			PeriodSeconds: rapid.IntRange(1, 12).
				Draw(r, "period"),
			TimeoutSeconds:   1,
			FailureThreshold: rapid.IntRange(1, 3).Draw(r, "threshold"),
		}}
		lows := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, int64(40*time.Second)))
		low := time.Duration(lows.Draw(r, "low"))
		span := Range{Low: low, High: low + time.Duration(rapid.Int64Range(0, int64(40*time.Second)).Draw(r, "more"))}
		for _, f := range []Formula{LaterProbe, LaterProbeKills, KillSpacing, KillTicks} {
			var windows []Window
			for _, restart := range in.RestartEdges(span) {
				in.Restart = restart
				windows = append(windows, f.Implemented(in))
			}
			earliest := slices.MinFunc(windows, func(a, b Window) int { return int(a.Earliest - b.Earliest) }).Earliest
			latest := slices.MaxFunc(windows, func(a, b Window) int { return int(a.Latest - b.Latest) }).Latest
			in.Restart = time.Duration(rapid.Int64Range(int64(span.Low), int64(span.High)).Draw(r, "restart"))
			between := f.Implemented(in)
			g.Expect(between.Earliest).To(BeNumerically(">=", earliest), f.ID)
			g.Expect(between.Latest).To(BeNumerically("<=", latest), f.ID)
		}
	})
}

// A healthy container's probe fails for failureThreshold periods at most before the kill, and for one less at least.
func TestFaults(t *testing.T) {
	g := NewWithT(t)
	in := Input{Probe: Probe{Handler: "http", PeriodSeconds: 10, TimeoutSeconds: 1, FailureThreshold: 3}}
	w := FaultKills.Implemented(in)
	g.Expect(time.Duration(w.Earliest)).To(Equal(20*time.Second - tickJitter))
	g.Expect(time.Duration(w.Latest)).To(Equal(30*time.Second + tickJitter + syncLatency))
	seen, apart := FaultSeen.Implemented(in), FailuresApart.Implemented(in)
	g.Expect(time.Duration(seen.Latest)).To(Equal(10*time.Second + tickJitter + HTTPStart))
	g.Expect(time.Duration(apart.Earliest)).To(Equal(20*time.Second - tickJitter - HTTPStart))
	in.Probe.FailureThreshold, in.CarriedFailures = 1, 0
	g.Expect(FailuresApart.Implemented(in).Earliest).To(BeNumerically("<=", 0))
}

// The start of a hook is added only if one runs.
func TestToHook(t *testing.T) {
	g := NewWithT(t)
	in := Input{
		Probe: Probe{PeriodSeconds: 1, FailureThreshold: 1},
		Kill:  Kill{Cause: ByLiveness, TerminationGracePeriodSeconds: 5},
	}
	g.Expect(ToHook(ProbeKills).Implemented(in)).To(Equal(ProbeKills.Implemented(in)))
	in.Kill.Hook = ExecHook
	g.Expect(ToHook(ProbeKills).Implemented(in).Latest - ProbeKills.Implemented(in).Latest).To(Equal(int64(ExecStart)))
	g.Expect(ToHook(ProbeKills).Documented(in).Latest - ProbeKills.Documented(in).Latest).To(Equal(int64(ExecStart)))
	g.Expect(ToHook(ProbeKills).ID).To(Equal(ProbeKills.ID))
	in.Kill.TerminationGracePeriodSeconds = 0
	g.Expect(ToHook(ProbeKills).Implemented(in)).To(Equal(ProbeKills.Implemented(in)), "without grace no hook is run")
}
