package bench

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/host/option"
	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Plan is what a benchmark measures.
type Plan struct {
	Kind Kind
	// Pods are the numbers of pods, ascending.
	Pods []int
	// For is how long each row is measured.
	For time.Duration
	// Handler is that of probes.
	Handler fixtures.Handler
}

// systemPods is how many pods a worker may have beside those of the benchmark: the recorder and, with kind's own
// network, kindnet and kube-proxy.
const systemPods = 3

// shortest is the shortest time that a row can be measured for: CPU times have a resolution of 10 ms.
const shortest = 5 * time.Second

// Check returns an error, in one line with the remedy, if the plan can't be measured on nodes with such a limit of
// pods (maxPods).
func (p Plan) Check(limit int) error {
	most := limit - systemPods
	if len(p.Pods) == 0 || slices.Min(p.Pods) < 1 {
		return option.Invalid("pods", p.words(), "a benchmark needs pods: write a number from 1 to %d", most)
	}
	if slices.Max(p.Pods) > most {
		return option.Invalid("pods", p.words(), "a worker has room for %d pods, of which %d may be of the system: "+
			"write at most %d, or set maxPods of the kubelets with --kind-config", limit, systemPods, most)
	}
	if p.For < shortest {
		return option.Invalid("for", p.For, "each row needs a duration of at least %v, such as --for=1m", shortest)
	}
	handlers := []fixtures.Handler{fixtures.HTTP, fixtures.Exec, fixtures.TCP, fixtures.GRPC}
	if p.Kind == Probes && !slices.Contains(handlers, p.Handler) {
		return option.Invalid("handler", p.Handler, "it must be http, exec, tcp or grpc")
	}
	return nil
}

// CheckSubjects returns an error, in one line with the remedy, if one of the subjects can't be measured.
func CheckSubjects(subjects []kubelets.Subject) error {
	for _, s := range subjects {
		if s.Lane() != run.NodeLane {
			return option.Invalid("subjects", s, "a virtual node uses no CPU time of its own: name it without virtual:")
		}
	}
	return nil
}

func (p Plan) words() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(p.Pods), " ", ","), "[]")
}

// Unchanged is the configuration without a change.
const Unchanged = "default"

// configuration is one of a kubelet.
type configuration struct {
	name string
	// kubelet is merged into its configuration, nil for none. needs is the change without which it has no such field.
	kubelet map[string]any
	needs   formula.Change
}

// configurations returns those that each subject is measured in. The second and the third are what KEP-4603 and
// KEP-5593 add.
func (p Plan) configurations() []configuration {
	all := []configuration{{name: Unchanged}}
	if p.Kind == Probes {
		return all
	}
	return append(all, configuration{
		name:    "reduced series",
		kubelet: map[string]any{"featureGates": map[string]any{formula.ReducedBackOff.Gate: true}},
		needs:   formula.ReducedBackOffGate,
	}, configuration{
		name: "maximum of 1 s",
		kubelet: map[string]any{
			"featureGates":     map[string]any{formula.NodeRestartPeriod.Gate: true},
			"crashLoopBackOff": map[string]any{"maxContainerRestartPeriod": "1s"},
		},
		needs: formula.NodeRestartPeriodField,
	})
}

// lacks returns why a release has no such configuration, or "".
func (c configuration) lacks(version string) string {
	if c.kubelet == nil {
		return ""
	}
	return formula.Kubelet{Version: version}.Lacks(c.needs)
}

// rows returns how many rows the plan has for so many subjects.
func (p Plan) rows(subjects int) int { return subjects * len(p.configurations()) * len(p.Pods) }

// pod returns what the pods are.
func (p Plan) pod() *corev1.Pod {
	if p.Kind == Restarts {
		return fixtures.Single(1, victim.Run{ExitAfter: []time.Duration{0}, ExitCode: 1})
	}
	return fixtures.Single(1, victim.Run{}, fixtures.Readiness(fixtures.Probe{
		Handler: p.Handler, PeriodSeconds: int32(probePeriod / time.Second), TimeoutSeconds: 1, FailureThreshold: 3,
	}))
}
