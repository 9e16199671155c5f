package forecast

import (
	"errors"
	"math"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/findings"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/predict/preset"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/apis/predictions/v1alpha1"
	"github.com/podclock/podclock/reports/predict/sentences"
)

// Document returns a forecast for programs. all adds every timeline.
func Document(f Forecast, all bool) v1alpha1.Prediction {
	d := v1alpha1.Prediction{APIVersion: v1alpha1.APIVersion, Kind: v1alpha1.Kind, Manifest: f.Manifest}
	d.Kubelet, d.At, d.Unread = kubeletOf(f.Kubelet), stamp(f.Now), f.Unread
	d.Limits = Limits(f.Presets)
	d.Workloads = make([]v1alpha1.Workload, len(f.Predictions))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range f.Predictions {
		g.Go(func() error {
			w := workloadOf(&f.Predictions[i], all)
			if f.Live != nil {
				live := f.Live[i]
				w.Kubelet, w.Nodes, w.Pods = kubeletOf(live.Kubelet), live.Nodes, livePods(live)
			}
			d.Workloads[i] = *w
			return nil
		})
	}
	_ = g.Wait() // no conversion fails
	for _, s := range f.Skipped {
		of := &d.WithoutPods
		if s.Unknown || s.Files {
			of = &d.Skipped
		}
		*of = append(*of, v1alpha1.Objects{Kind: s.Kind, Count: s.Count})
	}
	if !all {
		return d
	}
	d.Formulas = map[string]v1alpha1.Formula{}
	for id, f := range predict.Formulas(f.Predictions) {
		d.Formulas[id] = v1alpha1.Formula{
			Message: f.Description, Source: f.Source, Component: string(f.Of), Promise: f.Promise,
			DocumentedAt: f.DocumentedAt,
		}
	}
	return d
}

// DiffDocument returns what changed for programs.
func DiffDocument(d Diff) v1alpha1.Diff {
	doc := v1alpha1.Diff{
		APIVersion: v1alpha1.APIVersion, Kind: v1alpha1.DiffKind, Before: d.before.Manifest, After: d.after.Manifest,
		Kubelet: kubeletOf(d.after.Kubelet), Changes: []v1alpha1.Change{}, Same: d.same,
	}
	for _, c := range d.changes {
		doc.Changes = append(doc.Changes, v1alpha1.Change{
			Change: c.kind, Workload: c.workload(), Answers: c.answers, NewFindings: findingsOf(c.new),
			GoneFindings: findingsOf(c.gone), Before: workloadOf(c.before, false), After: workloadOf(c.after, false),
		})
	}
	return doc
}

// Refused returns the document of manifests with these errors.
func Refused(wrong []error) v1alpha1.Prediction {
	d := v1alpha1.Prediction{APIVersion: v1alpha1.APIVersion, Kind: v1alpha1.Kind, Problems: problemsOf(wrong)}
	d.Workloads = []v1alpha1.Workload{}
	return d
}

// RefusedDiff is Refused for two versions of manifests.
func RefusedDiff(before, after string, wrong []error) v1alpha1.Diff {
	return v1alpha1.Diff{
		APIVersion: v1alpha1.APIVersion, Kind: v1alpha1.DiffKind, Before: before, After: after,
		Changes: []v1alpha1.Change{}, Problems: problemsOf(wrong),
	}
}

func problemsOf(wrong []error) (all []v1alpha1.Problem) {
	for _, err := range wrong {
		invalid := (*manifest.Invalid)(nil)
		if !errors.As(err, &invalid) {
			all = append(all, v1alpha1.Problem{Message: err.Error()})
			continue
		}
		for _, p := range invalid.Problems {
			all = append(all, v1alpha1.Problem{
				File: invalid.Name, Document: p.Document, Line: p.Line, Object: p.Object, Field: p.Field,
				Message: p.Wrong,
			})
		}
	}
	return all
}

func kubeletOf(k formula.Kubelet) *v1alpha1.Kubelet {
	return &v1alpha1.Kubelet{
		Version: k.Version, Extrapolated: k.Extrapolated(), FeatureGates: k.Gates,
		EvictionSoftGracePeriodSeconds:   seconds(k.EvictionSoftGracePeriod),
		EvictionMaxPodGracePeriodSeconds: k.EvictionMaxPodGracePeriod,
		MaxContainerRestartPeriodSeconds: seconds(k.MaxContainerRestartPeriod),
		VolumeStatsAggPeriodSeconds:      seconds(k.VolumeStatsAggPeriod),
		SyncFrequencySeconds:             seconds(k.SyncFrequency),
		ShutdownGroups:                   shutdownGroupsOf(k),
	}
}

// lostNodeOf returns the windows of a lost node for programs.
func lostNodeOf(lost predict.LostPod) *v1alpha1.LostNode {
	d := &v1alpha1.LostNode{
		UnreadySecondsMin: seconds(lost.Unready.Earliest), UnreadySecondsMax: seconds(lost.Unready.Latest),
		Replacement: string(lost.Replaced),
	}
	d.DeletedSecondsMin, d.DeletedSecondsMax = optional(lost.Deleted)
	return d
}

// trafficOf returns nil for nil.
func trafficOf(t *predict.Traffic) *v1alpha1.Traffic {
	if t == nil {
		return nil
	}
	return &v1alpha1.Traffic{
		Services: t.Services, Always: t.Always,
		UnreadySecondsMin: seconds(t.Unready.Earliest), UnreadySecondsMax: seconds(t.Unready.Latest),
		RoutedSecondsMin: seconds(t.Routed.Earliest), RoutedSecondsMax: seconds(t.Routed.Latest),
		SleepSeconds: seconds(t.Sleep),
	}
}

// Limits returns presets for programs.
func Limits(all []preset.Preset) (documents []v1alpha1.Limit) {
	for _, p := range all {
		documents = append(documents, v1alpha1.Limit{
			Preset: p.Name, LimitSeconds: seconds(p.Limit), Since: p.Since, Then: p.Then,
			DocumentedAt: p.DocumentedAt, ReadOn: p.ReadOn,
		})
	}
	return documents
}

func shutdownGroupsOf(k formula.Kubelet) (documents []v1alpha1.ShutdownGroup) {
	for _, g := range k.ShutdownGroups {
		documents = append(documents, v1alpha1.ShutdownGroup{Priority: g.Priority, GraceSeconds: g.Seconds})
	}
	return documents
}

// workloadOf returns nil for nil. all adds every timeline.
func workloadOf(p *predict.Prediction, all bool) *v1alpha1.Workload {
	if p == nil {
		return nil
	}
	w := v1alpha1.Workload{
		File: p.File, Document: p.Document, Line: p.Line, Kind: p.Kind, Namespace: p.Namespace, Name: p.Name,
		NotCovered: p.NotCovered, Containers: []v1alpha1.Container{}, Findings: findingsOf(p.Findings),
		AllPods: allPodsOf(p.AllPods),
	}
	for _, s := range sentences.All(*p) {
		w.Answers = append(w.Answers, v1alpha1.Answer{Question: s.Label, Answer: s.Description})
	}
	for _, i := range p.Ignored {
		ignored := findingsOf([]findings.Finding{i.Finding})[0]
		ignored.Reason = i.Reason
		w.IgnoredFindings = append(w.IgnoredFindings, ignored)
	}
	if len(p.Containers) == 0 {
		return &w
	}
	w.Traffic, w.LostNode = trafficOf(p.Traffic), lostNodeOf(*p.LostNode)
	for _, c := range p.Containers {
		w.Containers = append(w.Containers, containerOf(c, all))
	}
	return &w
}

func findingsOf(all []findings.Finding) (documents []v1alpha1.Finding) {
	for _, f := range all {
		documents = append(documents, v1alpha1.Finding{
			Rule: f.Rule, Level: string(f.Level), Line: f.Line, Container: f.Container, Field: f.Field,
			Message: f.Description,
			Fix:     f.Fix, DocumentedAt: f.DocumentedAt,
		})
	}
	return documents
}

func containerOf(c predict.Container, all bool) v1alpha1.Container {
	d := v1alpha1.Container{Name: c.Name, Role: string(c.Role), Causes: []v1alpha1.Cause{}}
	d.ReadySecondsMin, d.ReadySecondsMax = optional(c.Answers.Ready)
	d.UnreadySecondsMin, d.UnreadySecondsMax = optional(c.Answers.Unready)
	for _, k := range c.Answers.Kills {
		cause := v1alpha1.Cause{
			Cause: string(k.Cause), Variant: k.Variant, Since: k.Begins, GraceSeconds: seconds(k.Grace),
			SIGTERMSecondsMin: seconds(k.SIGTERM.Earliest), SIGTERMSecondsMax: seconds(k.SIGTERM.Latest),
			DeathSecondsMin: seconds(k.Dead.Earliest), DeathSecondsMax: seconds(k.Dead.Latest),
		}
		cause.SIGKILLSecondsMin, cause.SIGKILLSecondsMax = optional(k.SIGKILL)
		cause.RestartSecondsMin, cause.RestartSecondsMax = optional(k.Restarted)
		switch {
		case c.Hook == formula.NoHook:
		case !k.HookRuns:
			cause.Hook = "skipped"
		case k.HookInside:
			cause.Hook = "in-grace"
		default:
			cause.Hook = "before-grace"
		}
		d.Causes = append(d.Causes, cause)
	}
	for _, r := range c.Answers.CrashLoop {
		d.CrashLoop = append(d.CrashLoop, v1alpha1.Restart{
			WaitSecondsMin: seconds(r.Wait.Earliest), WaitSecondsMax: seconds(r.Wait.Latest),
		})
	}
	if all {
		for _, t := range c.Timelines {
			d.Timelines = append(d.Timelines, timelineOf(t))
		}
	}
	return d
}

func timelineOf(t predict.Timeline) v1alpha1.Timeline {
	d := v1alpha1.Timeline{
		ID: t.ID, Cause: string(t.Cause), Variant: t.Variant, Assumes: t.Assumes.Description, Since: t.Begins,
		Ends:  t.Ends,
		Steps: []v1alpha1.Step{},
	}
	for _, s := range t.Steps {
		step := v1alpha1.Step{
			ID: s.ID, What: s.What, After: s.After, Formula: s.Formula,
			SecondsMin: seconds(s.At.Earliest), SecondsMax: seconds(s.At.Latest),
		}
		step.DocumentedSecondsMin, step.DocumentedSecondsMax = optional(s.Promised)
		if s.Formula != "" {
			step.Terms = s.Implemented.Explain()
		}
		d.Steps = append(d.Steps, step)
	}
	for _, v := range t.Values {
		w := v.Implemented
		d.Values = append(d.Values, v1alpha1.Value{
			ID: v.ID, What: v.What, Min: w.Earliest, Max: w.Latest, Unit: string(w.Unit),
		})
	}
	return d
}

// seconds rounds to microseconds. No formula is more exact.
func seconds(d time.Duration) float64 { return math.Round(float64(d)/1e3) / 1e6 }

func optional(s *predict.Span) (earliest, latest *float64) {
	if s == nil {
		return nil, nil
	}
	return new(seconds(s.Earliest)), new(seconds(s.Latest))
}

func allPodsOf(t *predict.AllPods) *v1alpha1.AllPods {
	if t == nil {
		return nil
	}
	return &v1alpha1.AllPods{
		Rollout: disruptionOf(t.Rollout), ScaleDown: disruptionOf(t.ScaleDown), Drain: disruptionOf(t.Drain),
	}
}

func disruptionOf(p *predict.Disruption) *v1alpha1.Passage {
	if p == nil {
		return nil
	}
	d := &v1alpha1.Passage{
		Never: p.Never, Pods: p.Pods, PodsAtOnce: p.AtOnce, ShareAtOnce: p.Share, PodStarts: p.Starts,
	}
	if p.Never == "" {
		d.SecondsMin, d.SecondsMax = optional(&p.Takes)
	}
	return d
}
