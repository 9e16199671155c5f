package predict

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/podspec"
)

// Level is how sure it is that something can't work as its author meant.
type Level string

const (
	// Error is what can't work as it was probably meant.
	Error Level = "error"
	// Warning is what works in another way than it was probably meant, or not always.
	Warning Level = "warning"
	// Note is what its author should know, and may know.
	Note Level = "note"
)

// rank orders levels, the gravest highest.
func (l Level) rank() int { return slices.Index([]Level{Note, Warning, Error}, l) }

// AtLeast says whether a level is as grave as another one, or graver.
func (l Level) AtLeast(other Level) bool { return l.rank() >= other.rank() }

// Finding is something in a workload's pod that can't work as its author probably meant.
type Finding struct {
	// Rule is the ID of the rule that found it.
	Rule  string `json:"rule"`
	Level Level  `json:"level"`
	// Line is the line of the manifest in which the field stands, from 1, 0 where that is not known.
	Line int `json:"line,omitempty"`
	// Container is the container's name, empty for the pod as a whole.
	Container string `json:"container,omitempty"`
	// Field is the path of the field in the document.
	Field string `json:"field"`
	// Says is what is found, with the numbers that prove it.
	Says string `json:"says"`
	// DocumentedAt is the page that the rule rests on.
	DocumentedAt string `json:"documentedAt"`
}

// findings are what the rules find in the prediction's pod, by the rules of its kubelet: what concerns the
// pod first, then container by container.
func (p *Prediction) findings() []Finding {
	var all []Finding
	whole := checked{prediction: p, pod: p.seen, path: p.PodPath}
	for _, r := range rules {
		if r.pod != nil {
			all = append(all, whole.report(r, r.pod(whole))...)
		}
	}
	for _, containers := range []struct {
		name string
		all  []corev1.Container
	}{{"containers", p.seen.Spec.Containers}, {"initContainers", p.seen.Spec.InitContainers}} {
		for i := range containers.all {
			one := whole
			one.container = &containers.all[i]
			one.path = fmt.Sprintf("%s.%s[%d]", p.PodPath, containers.name, i)
			for _, r := range rules {
				if r.container != nil {
					all = append(all, one.report(r, r.container(one))...)
				}
			}
		}
	}
	return all
}

// checked is a pod, or one of its containers, that the rules look at.
type checked struct {
	prediction *Prediction
	// pod is the pod as the kubelet sees it; container is one of its containers, nil for rules about the pod.
	pod       *corev1.Pod
	container *corev1.Container
	// path is the field path of the pod's spec, or the container's.
	path string
}

// found is what a rule finds: the field below the path, the numbers, and the level where it is another than
// the rule's own.
type found struct {
	field string
	says  string
	level Level
}

func (c checked) report(r Rule, all []found) []Finding {
	var findings []Finding
	for _, f := range all {
		finding := Finding{
			Rule:         r.ID,
			Level:        cmp.Or(f.level, r.Level),
			Field:        c.path + "." + f.field,
			Says:         f.says,
			DocumentedAt: r.DocumentedAt,
		}
		if c.container != nil {
			finding.Container = c.container.Name
		}
		if c.prediction.lineOf != nil {
			finding.Line = c.prediction.lineOf(finding.Field)
		}
		findings = append(findings, finding)
	}
	return findings
}

// killed is what formulas may know of a container's kill for a cause.
func (c checked) killed(cause formula.Cause) formula.Input {
	return podspec.Question{Pod: c.pod, Container: c.container.Name, Cause: cause}.Input(c.prediction.Kubelet)
}

// probed is what formulas may know of a container's probe of a kind, and of the kill that it leads to where
// it is one that kills.
func (c checked) probed(kind string) formula.Input {
	return podspec.Question{
		Pod:       c.pod,
		Container: c.container.Name,
		Cause:     formula.Cause(kind),
		Probe:     kind,
	}.Input(
		c.prediction.Kubelet,
	)
}

// probe is the container's probe of a kind, with the API's defaults, false where it has none.
func (c checked) probe(kind string) (formula.Probe, bool) {
	p := podspec.ProbeOf(c.container, kind)
	if p == nil {
		return formula.Probe{}, false
	}
	return podspec.Probe(p), true
}

// killedBy is when a probe that fails from the container's start on kills it, counted from that start: at
// the earliest where each probe fails at once, at the latest where none is answered.
func (c checked) killedBy(kind string) Span {
	in := c.probed(kind)
	earliest := formula.ProbeKills.Implemented(in).Earliest
	in.Probe.Takes = whole(int64(in.Probe.TimeoutSeconds))
	return Span{Earliest: time.Duration(earliest), Latest: time.Duration(formula.ProbeKills.Implemented(in).Latest)}
}

// grace is the pod's own grace period.
func (c checked) grace() time.Duration {
	return whole(podspec.TerminationGracePeriodSeconds(&c.pod.Spec))
}

func whole(seconds int64) time.Duration { return time.Duration(seconds) * time.Second }

// short writes a time as people do: "30 s", "1.5 s".
func short(d time.Duration) string {
	return strconv.FormatFloat(math.Round(d.Seconds()*1000)/1000, 'f', -1, 64) + " s"
}
