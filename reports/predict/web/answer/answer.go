// Package answer answers the questions of the web page, in words and pictures. The page's program calls nothing else,
// so nothing here may execute a template: package text/template keeps every exported method of every type, which makes
// the program 18 MB larger. A test of package web bounds its size.
package answer

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/predict/preset"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/podspec"
	"github.com/podclock/podclock/reports/predict/forecast"
)

// Question is what a reader has typed and chosen. Times are in seconds, nil if they are not known.
type Question struct {
	Manifest string `json:"manifest"`
	// Version is the kubelet's, such as "v1.37.2".
	Version string `json:"version"`
	// Event is the ID of an event of the last answer. The default is a delete.
	Event string `json:"event"`
	// Preset is the name of a limit of the pods' nodes, or empty.
	Preset string `json:"preset,omitempty"`
	// Grace is the grace period of the delete request.
	Grace *int64 `json:"grace"`
	// HookTakes is how long preStop hooks take that run commands or send requests.
	HookTakes *float64 `json:"hookTakes"`
	// ExitsAfter is the time from SIGTERM to a process' exit.
	ExitsAfter *float64 `json:"exitsAfter"`
}

// Answer is what the page shows.
type Answer struct {
	// Problems are why nothing is predicted. Without any, Screen is set.
	Problems []string         `json:"problems,omitempty"`
	Screen   *forecast.Screen `json:"screen,omitempty"`
	// Hook says how long preStop hooks take without HookTakes. It is empty if HookTakes makes no difference.
	Hook string `json:"hook,omitempty"`
	// Most is a time in seconds in which every pod of the manifests can end: the end of the page's scales.
	Most int64 `json:"most"`
}

// To answers a question.
func To(q Question) Answer {
	a, err := to(q)
	var invalid *manifest.Invalid
	switch {
	case errors.As(err, &invalid):
		for _, p := range invalid.Problems {
			a.Problems = append(a.Problems, p.String())
		}
	case err != nil:
		a.Problems = []string{err.Error()}
	}
	return a
}

func to(q Question) (a Answer, err error) {
	k := formula.Kubelet{Version: q.Version, Gates: map[string]bool{}}
	if !k.Valid() {
		return a, fmt.Errorf("%q is no version of Kubernetes, such as %s", q.Version, formula.NewestKnown)
	}
	var o predict.Options
	if q.Preset != "" {
		p, err := preset.Parse(q.Preset, effective.Longest)
		if err != nil {
			return a, err
		}
		p.Set(&k)
		o.Presets = []preset.Preset{p}
	}
	if q.Grace != nil {
		o.GracePeriodSeconds = []int64{*q.Grace}
		err = within("grace period", float64(*q.Grace))
	}
	if q.HookTakes != nil {
		o.HookTakes = new(duration(*q.HookTakes))
		err = errors.Join(err, within("time of the preStop hook", *q.HookTakes))
	}
	if q.ExitsAfter != nil {
		o.ExitsAfter = new(duration(*q.ExitsAfter))
		err = errors.Join(err, within("time until the process exits", *q.ExitsAfter))
	}
	if err != nil {
		return a, err
	}
	m, err := manifest.Read(strings.NewReader(q.Manifest), "the manifest")
	if err != nil {
		return a, err
	}
	if len(m.Objects)+len(m.Skipped)+len(m.Budgets) == 0 {
		return a, errors.New("there is no object yet: paste a Pod, a Deployment or any other workload")
	}
	f := forecast.Of("the manifest", m, k, o)
	screen, err := f.Screen(q.Event, q.Grace)
	a.Screen, a.Hook, a.Most = &screen, hookText(m), most(m)
	return a, err
}

// within fails if a time in seconds is not one that can be predicted.
func within(what string, seconds float64) error {
	if seconds < 0 || seconds > effective.Longest.Seconds() {
		return fmt.Errorf("the %s is %v s: it must be from 0 s to ten years", what, seconds)
	}
	return nil
}

func duration(seconds float64) time.Duration {
	return time.Duration(math.Round(seconds * float64(time.Second)))
}

// hookText says how long the preStop hooks take that run commands or send requests, or "" if there are none.
func hookText(m manifest.Manifest) (says string) {
	for _, o := range m.Objects {
		for _, c := range slices.Concat(o.Pod.Spec.Containers, o.Pod.Spec.InitContainers) {
			if kind, _ := podspec.Hook(&c); kind == formula.NoHook || kind == formula.SleepHook {
				continue
			}
			if _, exact := effective.HookTakes(&c); !exact {
				return "unknown: it may hang"
			}
			says = "as in the manifest"
		}
	}
	return says
}

// most returns twice the longest grace period, at least a minute and at most a day.
func most(m manifest.Manifest) int64 {
	longest := int64(30)
	for _, o := range m.Objects {
		longest = max(longest, *o.Pod.Spec.TerminationGracePeriodSeconds)
	}
	const day = 24 * 60 * 60
	return min(2*longest, day)
}
