// Package request is what a user asks of predictions: flags, and a configuration file for what no flag says.
package request

import (
	"fmt"
	"maps"
	"time"

	"github.com/spf13/pflag"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/predict/findings"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Request has the values of the flags.
type Request struct {
	// GracePeriodSeconds are options of further delete requests, which not every command has.
	GracePeriodSeconds []int64
	// WriteBaseline is set if the baseline is to be written, which not every command can.
	WriteBaseline bool

	node
	file, baseline                 string
	ignored, templates, presets    []string
	levels                         map[string]string
	hookTakes, exitsAfter, runsFor time.Duration
}

// Resolved is what predictions need.
type Resolved struct {
	Kubelet   formula.Kubelet
	Options   predict.Options
	Templates []manifest.Template
	// Baseline is empty if it is to be written.
	Baseline findings.Baseline
}

// AddFlags adds the flags.
func (r *Request) AddFlags(flags *pflag.FlagSet) {
	r.flags(flags)
	flags.StringVar(&r.file, "config", "", "the configuration of predictions (default: the "+FileName+
		" of the current folder or of the nearest folder above it, up to the git repository's root)")
	flags.DurationVar(&r.hookTakes, "hook-takes", 0,
		"how long commands and requests of preStop hooks take (default unknown: they may return at once, or hang)")
	flags.DurationVar(&r.exitsAfter, "exits-after", 0,
		"how long after SIGTERM processes exit (default unknown: they may exit at once, or ignore it)")
	flags.DurationVar(&r.runsFor, "runs-for", 0, "how long a life of a container lasts that crashes again and again")
	flags.StringArrayVar(&r.ignored, "ignore", nil, "a rule whose findings are ignored; may be given more than once. "+
		"The annotation "+findings.Annotation+"RULE, with a reason, does so for one workload")
	flags.StringVar(&r.baseline, "baseline", "", "a file of findings that are known, and so ignored; --write-baseline "+
		"of podclock predict writes it")
	flags.StringToStringVar(&r.levels, "severity", nil,
		"the level of a rule's findings: error, warning or note, such as one-failure-kills=error")
	flags.StringArrayVar(&r.presets, "preset", nil, "a limit of the pod's nodes, such as aws-spot or karpenter=1h; "+
		"podclock presets lists them; may be given more than once")
	flags.StringArrayVar(&r.templates, "template-path", nil, "where custom resources have a pod template, such as "+
		"example.com/Widget=.spec.workers[*].template; may be given more than once")
}

// Resolve validates the flags, and completes them by the configuration file.
func (r Request) Resolve(flags *pflag.FlagSet) (all Resolved, err error) {
	f, err := fileOf(r.file)
	if err != nil {
		return all, err
	}
	r.versionBy, r.configurationBy = "--"+kubernetes, "--"+kubeletConfig
	if f.Kubernetes != "" && !flags.Changed(kubernetes) {
		r.version, r.versionBy = f.Kubernetes, f.path+": kubernetes"
	}
	if f.KubeletConfig != "" && !flags.Changed(kubeletConfig) {
		r.configuration, r.configurationBy = f.beside(f.KubeletConfig), f.path+": kubeletConfig"
	}
	if all.Kubelet, err = r.kubelet(flags); err != nil {
		return all, err
	}
	if all.Options, err = r.options(flags); err != nil {
		return all, err
	}
	if all.Options.Findings, err = r.policy(f); err != nil {
		return all, err
	}
	if all.Options.Presets, err = f.presets(r.presets); err != nil {
		return all, err
	}
	for _, p := range all.Options.Presets {
		p.Set(&all.Kubelet)
	}
	if all.Baseline, err = f.baseline(r.baseline, r.WriteBaseline); err != nil {
		return all, err
	}
	all.Templates, err = templatesOf("bad --template-path=", r.templates)
	if err == nil {
		var more []manifest.Template
		more, err = templatesOf(f.path+": templatePaths: ", f.TemplatePaths)
		all.Templates = append(all.Templates, more...)
	}
	return all, err
}

// KubeletOf returns the kubelet of a node with this version and this output of /configz, which may be nil. Flags
// override both, but a configuration file does not: it stands for nodes that are not known.
func (r Request) KubeletOf(flags *pflag.FlagSet, version string, configz []byte) (formula.Kubelet, error) {
	r.versionBy, r.configurationBy = "--"+kubernetes, "--"+kubeletConfig
	if !flags.Changed(kubernetes) {
		r.version, r.versionBy = version, "kubelet"
	}
	if !flags.Changed(kubeletConfig) {
		r.read, r.configurationBy = configz, "/configz"
	}
	return r.kubelet(flags)
}

// Configured reports whether a flag names the kubelet's configuration.
func (r Request) Configured(flags *pflag.FlagSet) bool { return flags.Changed(kubeletConfig) }

// policy adds the flags to the file. A reason of the file prevails, a level of a flag.
func (r Request) policy(f file) (p findings.Policy, err error) {
	if _, err := findings.Named(r.ignored); err != nil {
		return p, fmt.Errorf("bad --ignore: %w", err)
	}
	p.Ignored = map[string]string{}
	for _, rule := range r.ignored {
		p.Ignored[rule] = "it is in --ignore"
	}
	reasons, err := f.reasons()
	if err != nil {
		return p, err
	}
	maps.Copy(p.Ignored, reasons)
	if p.Levels, err = levelsOf(f.path+": severities: ", f.Severities); err != nil {
		return p, err
	}
	levels, err := levelsOf("bad --severity: ", r.levels)
	maps.Copy(p.Levels, levels)
	return p, err
}

func levelsOf(by string, named map[string]string) (map[string]findings.Level, error) {
	all := map[string]findings.Level{}
	for rule, level := range named {
		if _, err := findings.Named([]string{rule}); err != nil {
			return all, fmt.Errorf("%s%w", by, err)
		}
		switch all[rule] = findings.Level(level); all[rule] {
		case findings.Error, findings.Warning, findings.Note:
		default:
			return all, fmt.Errorf("%s%s is %q: it must be error, warning or note", by, rule, level)
		}
	}
	return all, nil
}

func templatesOf(by string, named []string) (all []manifest.Template, err error) {
	for _, s := range named {
		t, err := manifest.ParseTemplate(s)
		if err != nil {
			return nil, fmt.Errorf("%s%w", by, err)
		}
		all = append(all, t)
	}
	return all, nil
}

func (r Request) options(flags *pflag.FlagSet) (predict.Options, error) {
	options := predict.Options{GracePeriodSeconds: r.GracePeriodSeconds, RunsFor: r.runsFor}
	for _, f := range []struct {
		flag  string
		value time.Duration
		into  **time.Duration
	}{{"hook-takes", r.hookTakes, &options.HookTakes}, {"exits-after", r.exitsAfter, &options.ExitsAfter},
		{"runs-for", r.runsFor, nil}} {
		if f.value < 0 || f.value > effective.Longest {
			return options, fmt.Errorf("bad --%s=%v: it is a time from 0s to ten years", f.flag, f.value)
		}
		if f.into != nil && flags.Changed(f.flag) {
			*f.into = &f.value
		}
	}
	for _, seconds := range r.GracePeriodSeconds {
		if seconds < 0 || seconds > int64(effective.Longest/time.Second) {
			return options, fmt.Errorf("bad --grace-period=%d: it is in seconds, from 0 to ten years", seconds)
		}
	}
	return options, nil
}
