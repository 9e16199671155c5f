package soak

import (
	"fmt"
	"go/format"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
)

// formulas and changes are the names in Go of what scenarios claim and need, by what they are told by.
var (
	formulas = map[string]string{
		formula.KillStart.ID:              "KillStart",
		formula.Remainder.ID:              "Remainder",
		formula.KillLength.ID:             "KillLength",
		formula.HookRuns.ID:               "HookRuns",
		formula.HookBound.ID:              "HookBound",
		formula.HookThenSignal.ID:         "HookThenSignal",
		formula.SleepThenSignal.ID:        "SleepThenSignal",
		formula.StopSignals.ID:            "StopSignals",
		formula.ObeyedSignal.ID:           "ObeyedSignal",
		formula.DeathCode.ID:              "DeathCode",
		formula.HookFailureEvent.ID:       "HookFailureEvent",
		formula.KilledTogether.ID:         "KilledTogether",
		formula.ObjectDeleted.ID:          "ObjectDeleted",
		formula.ObjectForced.ID:           "ObjectForced",
		formula.ObjectEnded.ID:            "ObjectEnded",
		formula.DeathAfterObject.ID:       "DeathAfterObject",
		formula.DeletionGrace.ID:          "DeletionGrace",
		formula.DeletionShift.ID:          "DeletionShift",
		formula.DeletionBegan.ID:          "DeletionBegan",
		formula.DisruptionCondition.ID:    "DisruptionCondition",
		formula.ProbesOfTerminating.ID:    "ProbesOfTerminating",
		formula.FailingProbes.ID:          "FailingProbes",
		formula.ProbeKills.ID:             "ProbeKills",
		formula.FirstProbe.ID:             "FirstProbe",
		formula.LastProbeToKill.ID:        "LastProbeToKill",
		formula.KillSpacing.ID:            "KillSpacing",
		formula.KillTicks.ID:              "KillTicks",
		formula.LaterProbe.ID:             "LaterProbe",
		formula.LaterProbeKills.ID:        "LaterProbeKills",
		formula.FinishedFailed.ID:         "FinishedFailed",
		formula.NoKill.ID:                 "NoKill",
		formula.Cadence.ID:                "Cadence",
		formula.TickToTick.ID:             "TickToTick",
		formula.HeldBack.ID:               "HeldBack",
		formula.Released.ID:               "Released",
		formula.StartupOnce.ID:            "StartupOnce",
		formula.StartupFirst.ID:           "StartupFirst",
		formula.FirstReady.ID:             "FirstReady",
		formula.ReadyAfter.ID:             "ReadyAfter",
		formula.UnreadyAfter.ID:           "UnreadyAfter",
		formula.UnreadyLag.ID:             "UnreadyLag",
		formula.ReadyLag.ID:               "ReadyLag",
		formula.ReadinessKillsNobody.ID:   "ReadinessKillsNobody",
		formula.NeverCounts.ID:            "NeverCounts",
		formula.MissingPortNeverCounts.ID: "MissingPortNeverCounts",
		formula.TriedAgain.ID:             "TriedAgain",
		formula.NextCycle.ID:              "NextCycle",
		formula.RestartDelay.ID:           "RestartDelay",
		formula.RestartDelayAfterProbe.ID: "RestartDelayAfterProbe",
		formula.RestartDelayForgotten.ID:  "RestartDelayForgotten",
		formula.FreeRestart.ID:            "FreeRestart",
		formula.RestartCount.ID:           "RestartCount",
		formula.ShownAsCrashLoop.ID:       "ShownAsCrashLoop",
		formula.Undisturbed.ID:            "Undisturbed",
		formula.PodEnds.ID:                "PodEnds",
		formula.Starts.ID:                 "Starts",
		formula.PostStartKills.ID:         "PostStartKills",
		formula.PostStartEvent.ID:         "PostStartEvent",
		formula.ChangeKills.ID:            "ChangeKills",
		formula.DeadlineKills.ID:          "DeadlineKills",
		formula.PhaseAfterDeath.ID:        "PhaseAfterDeath",
		formula.KillWaits.ID:              "KillWaits",
		formula.SidecarSignal.ID:          "SidecarSignal",
		formula.SidecarRemainder.ID:       "SidecarRemainder",
		formula.SidecarHook.ID:            "SidecarHook",
		formula.SidecarsAfterMain.ID:      "SidecarsAfterMain",
		formula.KilledInTurn.ID:           "KilledInTurn",
		formula.RestartAllKills.ID:        "RestartAllKills",
		formula.RestartAllFree.ID:         "RestartAllFree",
		formula.InitThenNext.ID:           "InitThenNext",
		formula.AfterNewImage.ID:          "AfterNewImage",
		formula.SleepOutlives.ID:          "SleepOutlives",
		formula.NoSignal.ID:               "NoSignal",
	}
	changes = map[string]string{
		formula.GRPCProbes.Name:             "GRPCProbes",
		formula.Sidecars.Name:               "Sidecars",
		formula.SleepAction.Name:            "SleepAction",
		formula.NodeRestartPeriodField.Name: "NodeRestartPeriodField",
		formula.ReducedBackOffGate.Name:     "ReducedBackOffGate",
		formula.ContainerRestartRules.Name:  "ContainerRestartRules",
		formula.RestartAll.Name:             "RestartAll",
	}
)

// Source writes a trial as a Go literal that can be pasted into the catalogue: its pod by the constructors
// of fixtures, its claims by their names. It writes all that scenarios hold, and says so of whatever else
// it meets.
func Source(t trial.Trial) (string, error) {
	p := printer{}
	p.line("trial.Trial{")
	p.line("ID: %q, About: %q,", t.ID, t.About)
	p.line("Pod: %s,", p.pod(t.Pod))
	if t.Worker != nil {
		p.line("Worker: &%s,", p.literal(reflect.ValueOf(*t.Worker)))
	}
	if len(t.Needs) > 0 {
		p.line("Needs: []formula.Change{%s},", p.needs(t.Needs))
	}
	if len(t.Cues) > 0 {
		p.line("Cues: []trial.Cue{")
		for _, c := range t.Cues {
			p.line("%s,", p.cue(c))
		}
		p.line("},")
	}
	if t.KillCause != "" {
		p.line("KillCause: %s,", cause(t.KillCause))
	}
	p.line("Lasts: %s,", duration(t.Lasts))
	p.line("Claims: []trial.Claim{")
	for _, c := range t.Claims {
		killed := ""
		if c.KillCause != "" {
			killed = ", KillCause: " + cause(c.KillCause)
		}
		p.line("{Measure: %s, Formula: formula.%s%s},", c.Measure.Source(), p.name(formulas, c.Formula.ID), killed)
	}
	p.line("},\n}")
	if len(p.unknown) > 0 {
		return "", fmt.Errorf("trial %s holds what can't be written as source: %s", t.ID, strings.Join(p.unknown, ", "))
	}
	formatted, err := format.Source([]byte(p.String()))
	return strings.TrimSpace(string(formatted)), err
}

// printer writes source and notes what it has no words for.
type printer struct {
	strings.Builder
	unknown []string
}

func (p *printer) line(format string, args ...any) { fmt.Fprintf(&p.Builder, format+"\n", args...) }

// name looks a name up.
func (p *printer) name(names map[string]string, key string) string {
	if names[key] == "" {
		p.unknown = append(p.unknown, key)
	}
	return names[key]
}

func (p *printer) needs(all []formula.Change) string {
	var names []string
	for _, c := range all {
		names = append(names, "formula."+p.name(changes, c.Name))
	}
	return strings.Join(names, ", ")
}

func cause(c formula.Cause) string { return fmt.Sprintf("formula.Cause(%q)", string(c)) }

func duration(d time.Duration) string {
	switch {
	case d%time.Second == 0:
		return fmt.Sprintf("%d*time.Second", d/time.Second)
	case d%time.Millisecond == 0:
		return fmt.Sprintf("%d*time.Millisecond", d/time.Millisecond)
	}
	return fmt.Sprintf("time.Duration(%d)", d)
}

func (p *printer) cue(c trial.Cue) string {
	s := fmt.Sprintf("{Action: trial.Action(%q)", string(c.Action))
	if c.GracePeriodSeconds != nil {
		s += fmt.Sprintf(", GracePeriodSeconds: fixtures.Seconds(%d)", *c.GracePeriodSeconds)
	}
	if c.When != (trial.Point{}) {
		s += ", When: " + c.When.Source()
	}
	if c.Patch != nil || c.Pod != "" || c.Refused {
		p.unknown = append(p.unknown, "a cue's patch, pod or refusal")
	}
	return s + ", After: " + duration(c.After) + "}"
}

// pod writes a pod that the constructors of fixtures made.
func (p *printer) pod(pod *corev1.Pod) string {
	spec := pod.Spec
	s := fmt.Sprintf("fixtures.Pod(%d, %s)", *spec.TerminationGracePeriodSeconds, p.containers(spec.Containers))
	var options []string
	if len(spec.InitContainers) > 0 {
		options = append(options, "fixtures.Init("+p.containers(spec.InitContainers)+")")
	}
	if spec.RestartPolicy != corev1.RestartPolicyAlways {
		options = append(options, fmt.Sprintf("fixtures.RestartPolicy(%q)", spec.RestartPolicy))
	}
	if spec.ActiveDeadlineSeconds != nil {
		options = append(options, fmt.Sprintf("fixtures.ActiveDeadline(%d)", *spec.ActiveDeadlineSeconds))
	}
	if len(options) > 0 {
		s = "fixtures.With(" + s + ", " + strings.Join(options, ", ") + ")"
	}
	return s
}

func (p *printer) containers(all []corev1.Container) string {
	var written []string
	for _, c := range all {
		written = append(written, p.container(c))
	}
	return strings.Join(written, ", ")
}

func (p *printer) container(c corev1.Container) string {
	run, err := victim.ParseRun(c.Args)
	if err != nil {
		p.unknown = append(p.unknown, err.Error())
	}
	options := p.hooks(c.Lifecycle)
	for _, probe := range []struct {
		option string
		probe  *corev1.Probe
	}{{"Liveness", c.LivenessProbe}, {"Readiness", c.ReadinessProbe}, {"Startup", c.StartupProbe}} {
		if probe.probe != nil {
			options = append(options,
				fmt.Sprintf("fixtures.%s(%s)", probe.option, p.literal(reflect.ValueOf(probeOf(probe.probe)))))
		}
	}
	if c.Image != "" {
		options = append(options, fmt.Sprintf("fixtures.Image(%q)", c.Image))
	}
	if c.RestartPolicy != nil {
		options = append(options, fmt.Sprintf("fixtures.ContainerRestartPolicy(%q)", *c.RestartPolicy))
	}
	for _, rule := range c.RestartPolicyRules {
		options = append(
			options,
			fmt.Sprintf("fixtures.RestartOn(%q, %s)", rule.Action,
				strings.Trim(strings.Join(strings.Fields(fmt.Sprint(rule.ExitCodes.Values)), ", "), "[]")),
		)
	}
	// The ports are those that the options open.
	run.HTTPPort, run.TCPPort, run.TCPFor, run.TCPTimeout, run.GRPCPort = 0, 0, "", 0, 0
	args := strings.Join(append([]string{p.literal(reflect.ValueOf(run))}, options...), ", ")
	if c.Name == fixtures.Main {
		return "fixtures.Victim(" + args + ")"
	}
	return fmt.Sprintf("fixtures.Named(%q, %s)", c.Name, args)
}

func (p *printer) hooks(l *corev1.Lifecycle) []string {
	if l == nil {
		return nil
	}
	var options []string
	for option, h := range map[string]*corev1.LifecycleHandler{"PreStop": l.PreStop, "PostStart": l.PostStart} {
		switch {
		case h == nil:
		case h.Sleep != nil:
			options = append(options, fmt.Sprintf("fixtures.Sleep%s(%d)", option, h.Sleep.Seconds))
		case h.HTTPGet != nil:
			options = append(options, fmt.Sprintf("fixtures.HTTP%s()", option))
		case h.Exec != nil && h.Exec.Command[0] != victim.Program:
			options = append(options, fmt.Sprintf("fixtures.Missing%s()", option))
		case h.Exec != nil:
			hook, err := victim.ParseHook(h.Exec.Command[1:])
			if err != nil {
				p.unknown = append(p.unknown, err.Error())
			}
			hook.PostStart = false // the option says it
			options = append(options, fmt.Sprintf("fixtures.Exec%s(%s)", option, p.literal(reflect.ValueOf(hook))))
		}
	}
	slices.Sort(options)
	return options
}

// probeOf is the fixture that made a probe.
func probeOf(p *corev1.Probe) fixtures.Probe {
	f := fixtures.Probe{
		Handler:                       fixtures.HTTP,
		InitialDelaySeconds:           p.InitialDelaySeconds,
		PeriodSeconds:                 p.PeriodSeconds,
		TimeoutSeconds:                p.TimeoutSeconds,
		FailureThreshold:              p.FailureThreshold,
		SuccessThreshold:              p.SuccessThreshold,
		TerminationGracePeriodSeconds: p.TerminationGracePeriodSeconds,
	}
	switch {
	case p.Exec != nil && p.Exec.Command[0] != victim.Program:
		f.Handler = fixtures.MissingBinary
	case p.Exec != nil:
		f.Handler = fixtures.Exec
	case p.TCPSocket != nil:
		f.Handler = fixtures.TCP
	case p.GRPC != nil:
		f.Handler = fixtures.GRPC
	case p.HTTPGet.Port.StrVal != "":
		f.Handler = fixtures.MissingPort
	}
	return f
}

// literal writes a value, with those fields of a struct that are not zero.
func (p *printer) literal(v reflect.Value) string {
	if d, ok := v.Interface().(time.Duration); ok {
		return duration(d)
	}
	switch v.Kind() {
	case reflect.Struct:
		var fields []string
		for i := range v.NumField() {
			if !v.Field(i).IsZero() {
				fields = append(fields, v.Type().Field(i).Name+": "+p.literal(v.Field(i)))
			}
		}
		return v.Type().String() + "{" + strings.Join(fields, ", ") + "}"
	case reflect.Slice:
		var elements []string
		for i := range v.Len() {
			elements = append(elements, p.literal(v.Index(i)))
		}
		return v.Type().String() + "{" + strings.Join(elements, ", ") + "}"
	case reflect.Map:
		return p.patch(v)
	case reflect.Interface:
		return p.literal(v.Elem())
	case reflect.Pointer:
		return fmt.Sprintf("fixtures.Seconds(%s)", p.literal(v.Elem()))
	}
	return fmt.Sprintf("%#v", v.Interface())
}

// patch writes a merge patch of a configuration.
func (p *printer) patch(v reflect.Value) string {
	m, ok := v.Interface().(map[string]any)
	if !ok {
		p.unknown = append(p.unknown, v.Type().String())
	}
	var entries []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		entries = append(entries, fmt.Sprintf("%q: %s", key, p.literal(reflect.ValueOf(m[key]))))
	}
	return "map[string]any{" + strings.Join(entries, ", ") + "}"
}
