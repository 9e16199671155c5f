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
	"github.com/podclock/podclock/harness/manifest"
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

// ParseLevel is the level of this name.
func ParseLevel(name string) (Level, error) {
	if l := Level(name); l.rank() >= 0 {
		return l, nil
	}
	return "", fmt.Errorf("there is no level %q: it is %s, %s or %s", name, Error, Warning, Note)
}

// Finding is something in a manifest that can't work as its author probably meant.
type Finding struct {
	// Rule is the ID of the rule that found it.
	Rule  string `json:"rule"`
	Level Level  `json:"level"`
	// Document is the number of the workload's document, from 1, Line the line of the manifest in which the field stands, from 1, 0 where that is not known.
	Document int `json:"document"`
	Line     int `json:"line,omitempty"`
	// Kind, Namespace and Name are the workload's; Container is the container's name, empty for the pod as a whole.
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	Container string `json:"container,omitempty"`
	// Field is the path of the field in the document.
	Field string `json:"field"`
	// Says is what is found, with the numbers that prove it.
	Says string `json:"says"`
	// DocumentedAt is the page that the rule rests on.
	DocumentedAt string `json:"documentedAt"`
}

// Findings are what the rules find in a workload's pod, by the rules of the prediction's kubelet: what concerns the pod first, then container by container.
func Findings(p Prediction) []Finding {
	var all []Finding
	pod, _ := seenBy(p.Kubelet, p.Pod)
	whole := checked{prediction: p, pod: pod, path: p.PodPath}
	for _, r := range rules {
		if r.pod != nil {
			all = append(all, whole.report(r, r.pod(whole))...)
		}
	}
	for _, containers := range []struct {
		name string
		all  []corev1.Container
	}{{"containers", pod.Spec.Containers}, {"initContainers", pod.Spec.InitContainers}} {
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

// Locate fills in the lines of findings from the manifest that they were found in.
func Locate(findings []Finding, m manifest.Manifest) {
	for i := range findings {
		f := &findings[i]
		at := slices.IndexFunc(m.Objects, func(o manifest.Object) bool { return o.Document == f.Document })
		if at >= 0 {
			f.Line = m.Objects[at].LineOf(f.Field)
		}
	}
}

// checked is a pod, or one of its containers, that the rules look at.
type checked struct {
	prediction Prediction
	// pod is the pod as the kubelet sees it; container is one of its containers, nil for rules about the pod.
	pod       *corev1.Pod
	container *corev1.Container
	// path is the field path of the pod's spec, or the container's.
	path string
}

// found is what a rule finds: the field below the path, the numbers, and the level where it is another than the rule's own.
type found struct {
	field string
	says  string
	level Level
}

func (c checked) report(r Rule, all []found) []Finding {
	var findings []Finding
	for _, f := range all {
		finding := Finding{
			Rule: r.ID, Level: cmp.Or(f.level, r.Level), Document: c.prediction.Document, Kind: c.prediction.Kind, Namespace: c.prediction.Namespace, Name: c.prediction.Name,
			Field: c.path + "." + f.field, Says: f.says, DocumentedAt: r.DocumentedAt,
		}
		if c.container != nil {
			finding.Container = c.container.Name
		}
		findings = append(findings, finding)
	}
	return findings
}

// killed is what formulas may know of a container's kill for a cause.
func (c checked) killed(cause formula.Cause) formula.Input {
	return podspec.Question{Pod: c.pod, Container: c.container.Name, Cause: cause}.Input(c.prediction.Kubelet)
}

// probed is what formulas may know of a container's probe of a kind, and of the kill that it leads to.
func (c checked) probed(cause formula.Cause, kind string) formula.Input {
	return podspec.Question{Pod: c.pod, Container: c.container.Name, Cause: cause, Probe: kind}.Input(c.prediction.Kubelet)
}

// grace is the pod's own grace period.
func (c checked) grace() time.Duration {
	return whole(*c.pod.Spec.TerminationGracePeriodSeconds)
}

func whole(seconds int64) time.Duration { return time.Duration(seconds) * time.Second }

// short writes a time as people do: "30 s", "1.5 s".
func short(d time.Duration) string {
	return strconv.FormatFloat(math.Round(d.Seconds()*1000)/1000, 'f', -1, 64) + " s"
}
