package promises

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/builder"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
	"github.com/podclock/podclock/harness/virtual"
)

// node returns the virtual node of a kubelet, and builds it if necessary.
func node(t *testing.T, subject string) virtual.Program {
	t.Helper()
	s, err := kubelets.ParseSubject(subject)
	if err != nil {
		t.Fatal(err)
	}
	binary, err := builder.Build(t.Context(), s, builder.Options{Log: os.Stderr})
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return virtual.Program{Name: s.String(), Binary: binary.Path, Env: binary.Env}
}

// play plays trials, and returns why those deviate that do.
func play(t *testing.T, on virtual.Program, trials []trial.Trial) map[string]string {
	t.Helper()
	var log strings.Builder
	lab, err := virtual.Open(t.Context(), virtual.Options{Programs: []virtual.Program{on}, Log: &log})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lab.Close(context.Background()) }()
	var all []runner.Selection
	for _, tr := range trials {
		all = append(all, runner.Selection{Trial: tr, Subject: on.Name})
	}
	lab.Start(all)
	deviations := map[string]string{}
	for _, tr := range trials {
		o, err := lab.Await(t.Context(), tr.ID, on.Name)
		if err != nil {
			t.Fatal(err)
		}
		switch o.Verdict {
		case trial.Conforms, trial.Divergent:
		case trial.Deviates:
			deviations[tr.ID] = o.Reason()
		default:
			t.Errorf("%s is %s: %s %s\n%s", tr.ID, o.Verdict, o.Why, o.Reason(), log.String())
		}
	}
	return deviations
}

const newestNode = "virtual:" + formula.NewestKnown

// The kubelet's own code does what is predicted of a pod with sidecars, hooks, probes, init containers and rules.
func TestPromisesAreKept(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a virtual node")
	}
	n := node(t, newestNode)
	for _, name := range []string{shop, "testdata/hooks.yaml", "testdata/rules.yaml"} {
		trials, _ := of(t, file(t, name))
		NewWithT(t).Expect(play(t, n, trials)).To(BeEmpty(), name)
	}
}

// A prediction with a mistake deviates.
func TestWrongPredictionsDeviate(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a virtual node")
	}
	n := node(t, newestNode)
	web := file(t, shop)[:1]
	for name, c := range map[string]struct {
		wrong   func(*predict.Timeline)
		deviate string
	}{
		"a death that is late":          {late(lifecycle.Gone), "deployment-web/delete-longest"},
		"an eviction that is late":      {late(lifecycle.Gone), "deployment-web/drain-shortest"},
		"a hook that begins late":       {late(lifecycle.HookBegan), "deployment-web/liveness-shortest-app"},
		"an object that is gone late":   {late(lifecycle.ObjectDeleted), "deployment-web/delete-shortest"},
		"a restart that is late":        {late(lifecycle.Started + "-3"), "deployment-web/crash-first-app"},
		"a wait that is longer":         {longer(lifecycle.Started + "-3"), "deployment-web/crash-first-app"},
		"a failure that is seen late":   {late(lifecycle.Unready), "deployment-web/readiness-shortest-app"},
		"a start that is seen late":     {late(lifecycle.Ready), "deployment-web/start-app"},
		"a hook that runs twice":        {more("hook-runs"), "deployment-web/delete-shortest"},
		"one more failing probe":        {more("failing-probes"), "deployment-web/liveness-from-start-shortest-app"},
		"another grace period":          {more("deletion-grace"), "deployment-web/delete-shortest"},
		"one more restart":              {more("restart-count"), "deployment-web/crash-app"},
		"a next container that is late": {late("next-start"), "deployment-web/completes-migrate"},
		"a kill that is not predicted":  {without(lifecycle.SIGTERM), "deployment-web/delete-shortest"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			right, _ := of(t, web)
			own := workload{ID: "deployment-web", Kubelet: newest, Object: reduced(web[0].Object)}
			wrong := false
			trials, _ := own.trials(func(
				w []predict.Workload, k formula.Kubelet, o predict.Options,
			) []predict.Prediction {
				all := predict.All(w, k, o)
				if !wrong {
					return all
				}
				for i := range all[0].Containers {
					for j := range all[0].Containers[i].Timelines {
						c.wrong(&all[0].Containers[i].Timelines[j])
					}
				}
				return all
			})
			wrong = true // from here on: the trials are those of the right prediction
			i := slices.IndexFunc(trials, func(tr trial.Trial) bool { return tr.ID == c.deviate })
			g.Expect(ids(trials)).To(Equal(ids(right)))
			g.Expect(play(t, n, trials[i:i+1])).To(HaveKey(c.deviate))
		})
	}
}

// A kubelet with a mistake deviates: one that needs one failure less in each later life.
func TestWrongKubeletsDeviate(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a virtual node")
	}
	trials, _ := of(t, file(t, shop)[:1])
	deviations := play(t, node(t, newestNode+"+resultrun-one"), slices.DeleteFunc(trials, func(tr trial.Trial) bool {
		return !strings.HasPrefix(tr.ID, "deployment-web/liveness-")
	}))
	NewWithT(t).Expect(deviations).To(HaveKeyWithValue("deployment-web/liveness-from-start-shortest-app",
		ContainSubstring("failing-probes-2: 2, 1 below 3")), fmt.Sprint(deviations))
}

const much = 25 * time.Second

func late(id string) func(*predict.Timeline) {
	return func(l *predict.Timeline) {
		for i := range l.Steps {
			if s := &l.Steps[i]; s.ID == id {
				s.At = predict.Span{Earliest: s.At.Earliest + much, Latest: s.At.Latest + much}
			}
		}
	}
}

func longer(id string) func(*predict.Timeline) {
	return func(l *predict.Timeline) {
		for i := range l.Steps {
			if s := &l.Steps[i]; s.ID == id {
				s.Implemented = s.Implemented.With(formula.Term{Name: "mistake", Earliest: int64(much),
					Latest: int64(much)})
			}
		}
	}
}

func more(id string) func(*predict.Timeline) {
	return func(l *predict.Timeline) {
		for i := range l.Values {
			if v := &l.Values[i]; v.ID == id {
				v.Implemented = v.Implemented.With(formula.Term{Name: "mistake", Earliest: 1, Latest: 1})
			}
		}
	}
}

func without(id string) func(*predict.Timeline) {
	return func(l *predict.Timeline) {
		l.Steps = slices.DeleteFunc(l.Steps, func(s predict.Step) bool { return s.ID == id })
	}
}
