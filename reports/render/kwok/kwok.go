// Package kwok writes measured times as Stages of KWOK (kwok.x-k8s.io/v1alpha1), so that simulated pods start, become
// ready, restart and end as slowly as real ones. The package judges nothing.
//
// A Stage waits for a time that is drawn evenly between two others (sigs.k8s.io/kwok/pkg/utils/lifecycle, Stage.Delay).
// So each piece of a distribution is a Stage of its own, and its weight is its share.
package kwok

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/podclock/podclock/reports/view/fitted"
)

// The labels and annotations of simulated pods.
const (
	// CrashesLabel makes a pod's containers crash again and again.
	CrashesLabel = "podclock.dev/crashes"
	// CrashAfter is how many seconds they run once they are ready, by default one.
	CrashAfter = "podclock.dev/crash-after-seconds"
	// Hook is how many seconds a preStop hook takes that does not sleep. Stops is how many seconds the process takes to
	// end after SIGTERM, by default none.
	Hook  = "podclock.dev/hook-seconds"
	Stops = "podclock.dev/stops-after-seconds"
)

// stage is a Stage with the fields that every release of KWOK since v0.4 reads.
type stage struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   metadata `json:"metadata"`
	Spec       spec     `json:"spec"`
}

type metadata struct {
	Name string `json:"name"`
}

type spec struct {
	ResourceRef resource `json:"resourceRef"`
	Selector    selector `json:"selector"`
	Weight      int      `json:"weight"`
	Delay       delay    `json:"delay"`
	Next        next     `json:"next"`
}

type resource struct {
	APIGroup string `json:"apiGroup"`
	Kind     string `json:"kind"`
}

type selector struct {
	MatchExpressions []expression `json:"matchExpressions"`
}

type expression struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values,omitempty"`
}

type delay struct {
	DurationMilliseconds       int64 `json:"durationMilliseconds"`
	DurationFrom               *from `json:"durationFrom,omitempty"`
	JitterDurationMilliseconds int64 `json:"jitterDurationMilliseconds"`
	JitterDurationFrom         *from `json:"jitterDurationFrom,omitempty"`
}

// from is a jq expression whose result is a duration as a text.
type from struct {
	ExpressionFrom string `json:"expressionFrom"`
}

type next struct {
	Delete         bool   `json:"delete,omitempty"`
	Event          *event `json:"event,omitempty"`
	StatusTemplate string `json:"statusTemplate,omitempty"`
}

type event struct {
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Stages writes the times of a subject as Stages for pods, whose heads are comments. The times must not be missing.
func Stages(w io.Writer, t fitted.Times) error {
	for _, one := range transitions(t) {
		if _, err := fmt.Fprintf(w, "# %s: %s\n", one.name, one.about); err != nil {
			return err
		}
		for i, p := range one.parts {
			text, err := yaml.Marshal(one.stage(i, p))
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(w, "---\n%s", text); err != nil {
				return err
			}
		}
	}
	return nil
}

// transition is a change of a pod, after a time.
type transition struct {
	name, about string
	when        []expression
	// earliest and latest are jq expressions of the seconds that the pod's specification demands, empty for none.
	earliest, latest string
	parts            []fitted.Part
	next             next
}

func (t transition) stage(i int, p fitted.Part) stage {
	s := stage{APIVersion: "kwok.x-k8s.io/v1alpha1", Kind: "Stage"}
	s.Metadata.Name = fmt.Sprintf("podclock-%s-%d", t.name, i+1)
	s.Spec = spec{
		ResourceRef: resource{"v1", "Pod"}, Selector: selector{t.when}, Weight: p.Weight, Next: t.next,
		Delay: delay{
			DurationMilliseconds:       p.From.Milliseconds(),
			JitterDurationMilliseconds: (p.To + time.Millisecond - 1).Milliseconds(),
		},
	}
	if t.earliest != "" {
		s.Spec.Delay.DurationFrom, s.Spec.Delay.JitterDurationFrom = later(t.earliest, p.From), later(t.latest, p.To)
	}
	return s
}

// later returns the sum of an expression of seconds and a time, as the text of a duration.
func later(seconds string, d time.Duration) *from {
	return &from{fmt.Sprintf("(%s) + %s | tostring + \"s\"", seconds, number(d))}
}

// number returns seconds, to the microsecond.
func number(d time.Duration) string {
	return strconv.FormatFloat(d.Round(time.Microsecond).Seconds(), 'f', -1, 64)
}

func is(key string, values ...string) expression    { return expression{key, "In", values} }
func isNot(key string, values ...string) expression { return expression{key, "NotIn", values} }
func exists(key string) expression                  { return expression{Key: key, Operator: "Exists"} }
func missing(key string) expression                 { return expression{Key: key, Operator: "DoesNotExist"} }

// The keys of selectors.
const (
	deleted = ".metadata.deletionTimestamp"
	address = ".status.podIP"
	running = ".status.containerStatuses.[].state.running.startedAt"
	ready   = `.status.conditions.[] | select( .type == "Ready" ) | .status`
	crashes = `.metadata.labels["` + CrashesLabel + `"]`
)

func transitions(t fitted.Times) []transition {
	return []transition{
		{
			name: "start", about: "from a bound pod to its containers' start, " + t.Starts.String(),
			when: []expression{missing(deleted), missing(address)}, parts: t.Starts.Parts(),
			next: next{Event: &event{"Normal", "Started", "Started container"}, StatusTemplate: startedStatus},
		},
		{
			name: "ready", about: "from the start to Ready, besides the readiness probe's delay, " + t.Readies.String(),
			when:     []expression{missing(deleted), exists(running), isNot(ready, "True")},
			earliest: probed("0"), latest: probed("if .initialDelaySeconds then $period else 0 end + $further"),
			parts: t.Readies.Parts(), next: next{StatusTemplate: readyStatus},
		},
		{
			name: "crash", about: "from Ready to a crash, for pods with the label " + CrashesLabel,
			when:     []expression{missing(deleted), exists(running), is(ready, "True"), is(crashes, "true")},
			earliest: crashAfter, latest: crashAfter, parts: []fitted.Part{{Weight: crashWeight}},
			next: next{StatusTemplate: crashedStatus},
		},
		{
			name: "restart", about: "from a crash to the next start, besides the back-off, " + t.Restarts.String(),
			when:     []expression{missing(deleted), exists(address), missing(running), is(".status.phase", "Running")},
			earliest: backOff(t), latest: backOff(t), parts: t.Restarts.Parts(),
			next: next{StatusTemplate: restartedStatus},
		},
		{
			name: "end", about: "from a delete to the end of the object, besides hook and grace, " + t.Ends.String(),
			when:     []expression{exists(deleted), missing(".metadata.finalizers")},
			earliest: terminated, latest: terminated, parts: t.Ends.Parts(), next: next{Delete: true},
		},
	}
}

// crashWeight makes other stages for ready pods, such as KWOK's own pod-complete, unlikely for pods that crash.
const crashWeight = 10000

const crashAfter = `.metadata.annotations["` + CrashAfter + `"] // "1" | tonumber`

// probed returns the longest initialDelaySeconds of the readiness probes, and further seconds of each. Of the first
// probe after it, only the period is known, and of further successes, that they come a period apart or sooner
// (formula FirstReady).
func probed(further string) string {
	return `[.spec.containers[] | .readinessProbe | select(.) | (.periodSeconds // 10) as $period | ` +
		`(((.successThreshold // 1) - 1) * $period) as $further | (.initialDelaySeconds // 0) + (` + further +
		`)] | max // 0`
}

// backOff returns the back-off by the number of restarts: none before the first one.
func backOff(t fitted.Times) string {
	return fmt.Sprintf(`(.status.containerStatuses[0].restartCount // 0) as $n | `+
		`if $n == 0 then 0 else [%s * pow(2; $n - 1), %s] | min end`, number(t.BackOff.Initial), number(t.BackOff.Max))
}

// terminated is what fitted.Terminated computes of a pod's specification and annotations. A pod without a running
// container ends at once.
const terminated = `if [.status.containerStatuses[]?.state.running | select(.)] == [] then 0 else ` +
	`(.metadata.annotations["` + Hook + `"] // ` +
	`([.spec.containers[].lifecycle.preStop.sleep.seconds | select(.)] | max) // 0 | tonumber) as $hook | ` +
	`(.metadata.annotations["` + Stops + `"] // 0 | tonumber) as $stops | ` +
	`(.metadata.deletionGracePeriodSeconds // 30) as $grace | ([$hook, $grace] | min) as $signal | ` +
	`$signal + ([$stops, ([$grace - $signal, 2] | max)] | min) end`

// conditions returns the part of a status with conditions of a state.
func conditions(isReady bool) string {
	state := `  status: "False"
  reason: ContainersNotReady`
	if isReady {
		state = `  status: "True"
  reason: ""`
	}
	return `- type: Ready
  lastTransitionTime: {{ $now | Quote }}
` + state + `
- type: ContainersReady
  lastTransitionTime: {{ $now | Quote }}
` + state + `
`
}

const ofContainers = `containerStatuses:
{{ range $index, $item := .spec.containers }}
{{ $was := index $root.status.containerStatuses $index }}
- name: {{ $item.name | Quote }}
  image: {{ $item.image | Quote }}
`

// lastState is the newest end of a container.
const lastState = `{{ with or $was.state.terminated $was.lastState.terminated }}
  lastState:
    terminated:
      exitCode: {{ .exitCode }}
      reason: {{ .reason | Quote }}
      startedAt: {{ .startedAt | Quote }}
      finishedAt: {{ .finishedAt | Quote }}
{{ end }}
`

var (
	startedStatus = `{{ $now := Now }}
conditions:
- type: PodReadyToStartContainers
  lastTransitionTime: {{ $now | Quote }}
  status: "True"
- type: Initialized
  lastTransitionTime: {{ $now | Quote }}
  status: "True"
` + conditions(false) + `{{ range .spec.readinessGates }}
- type: {{ .conditionType | Quote }}
  lastTransitionTime: {{ $now | Quote }}
  status: "True"
{{ end }}
containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  ready: false
  started: true
  restartCount: 0
  state:
    running:
      startedAt: {{ $now | Quote }}
{{ end }}
{{ if .spec.initContainers }}
initContainerStatuses:
{{ range .spec.initContainers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  ready: true
  started: false
  restartCount: 0
  state:
    terminated:
      exitCode: 0
      reason: Completed
      startedAt: {{ $now | Quote }}
      finishedAt: {{ $now | Quote }}
{{ end }}
{{ end }}
hostIP: {{ NodeIPWith .spec.nodeName | Quote }}
podIP: {{ PodIPWith .spec.nodeName ( or .spec.hostNetwork false ) ( or .metadata.uid "" ) ( or .metadata.name "" ) ` +
		`( or .metadata.namespace "" ) | Quote }}
phase: Running
startTime: {{ $now | Quote }}
`
	readyStatus = `{{ $now := Now }}
{{ $root := . }}
conditions:
` + conditions(true) + ofContainers + `  ready: true
  started: true
  restartCount: {{ $was.restartCount }}
  state:
    running:
      startedAt: {{ $was.state.running.startedAt | Quote }}
` + lastState + `{{ end }}
`
	crashedStatus = `{{ $now := Now }}
{{ $root := . }}
conditions:
` + conditions(false) + ofContainers + `  ready: false
  started: false
  restartCount: {{ $was.restartCount }}
{{ if eq ( toString $was.restartCount ) "0" }}
  state:
{{ else }}
  state:
    waiting:
      reason: CrashLoopBackOff
  lastState:
{{ end }}
    terminated:
      exitCode: 1
      reason: Error
      startedAt: {{ $was.state.running.startedAt | Quote }}
      finishedAt: {{ $now | Quote }}
{{ end }}
`
	restartedStatus = `{{ $now := Now }}
{{ $root := . }}
conditions:
` + conditions(false) + ofContainers + `  ready: false
  started: true
  restartCount: {{ add1 $was.restartCount }}
  state:
    running:
      startedAt: {{ $now | Quote }}
` + lastState + `{{ end }}
`
)
