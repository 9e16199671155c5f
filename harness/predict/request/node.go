package request

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/mod/semver"
	"sigs.k8s.io/yaml"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/rules/formula"
)

// node is the kubelet whose rules and settings hold.
type node struct {
	version, configuration string
	// versionBy and configurationBy are what set them, such as "--kubernetes".
	versionBy, configurationBy string
	// read is the configuration if it is not in a file.
	read  []byte
	gates map[string]string
	// set are the single settings. Only given flags count.
	set formula.Kubelet
}

type setting struct {
	flag, usage string
	// of returns the kubelet's setting between least and most.
	of          func(*formula.Kubelet) *time.Duration
	least, most time.Duration
}

var settings = []setting{
	{"eviction-soft-grace-period", "for how long a soft eviction threshold must be met (default unknown: 0s)",
		func(k *formula.Kubelet) *time.Duration { return &k.EvictionSoftGracePeriod }, 0, effective.Longest},
	{restartMaximum, "the kubelet's crashLoopBackOff.maxContainerRestartPeriod, from 1s to 5m (default 5m)",
		func(k *formula.Kubelet) *time.Duration { return &k.MaxContainerRestartPeriod }, time.Second, 5 * time.Minute},
	{"volume-stats-agg-period", "how often the kubelet measures volumes (default 1m)",
		func(k *formula.Kubelet) *time.Duration { return &k.VolumeStatsAggPeriod }, 0, effective.Longest},
	{"sync-frequency", "how often the kubelet looks at a pod to which nothing happens (default 1m)",
		func(k *formula.Kubelet) *time.Duration { return &k.SyncFrequency }, 0, effective.Longest},
}

const (
	kubernetes      = "kubernetes"
	kubeletConfig   = "kubelet-config"
	evictionMaximum = "eviction-max-pod-grace-period"
	restartMaximum  = "max-container-restart-period"
)

func (o *node) flags(flags *pflag.FlagSet) {
	flags.StringVar(&o.version, kubernetes, formula.NewestKnown, "the kubelet's version")
	flags.StringVar(&o.configuration, kubeletConfig, "",
		"the kubelet's configuration (kubelet.config.k8s.io/v1beta1) or the output of its /configz, as YAML or JSON")
	flags.StringToStringVar(&o.gates, "feature-gates", nil, "feature gates of the kubelet that differ "+
		"from its version's, such as ReduceDefaultCrashLoopBackOffDecay=true")
	flags.Int64Var(&o.set.EvictionMaxPodGracePeriod, evictionMaximum, 0,
		"the most that a soft eviction gives a pod, in seconds (default 0: none)")
	for _, s := range settings {
		flags.DurationVar(s.of(&o.set), s.flag, 0, s.usage)
	}
}

func (o node) kubelet(flags *pflag.FlagSet) (formula.Kubelet, error) {
	version := "v" + strings.TrimPrefix(o.version, "v")
	if !semver.IsValid(version) || strings.Count(version, ".") < 2 {
		return formula.Kubelet{}, fmt.Errorf("bad %s=%s: it is a release such as %s; the formulas were read "+
			"in releases from %s to %s", o.versionBy, o.version, formula.NewestKnown, formula.OldestKnown,
			formula.NewestKnown)
	}
	gates := map[string]bool{}
	for name, value := range o.gates {
		if value != "true" && value != "false" {
			return formula.Kubelet{}, fmt.Errorf("bad --feature-gates=%s=%s: a gate is true or false", name, value)
		}
		gates[name] = value == "true"
	}
	configuration, err := o.configured()
	if err != nil {
		return formula.Kubelet{}, err
	}
	k, err := formula.KubeletOf(version, gates, configuration, nil)
	if err != nil {
		return formula.Kubelet{}, fmt.Errorf("%s: "+
			"%w", strings.TrimSuffix(o.configurationBy+"="+o.configuration, "="), err)
	}
	for name, on := range gates { // the flag overrides the file
		k.Gates[name] = on
	}
	if err := refusedShutdown(k, configuration); err != nil {
		return k, fmt.Errorf("%s=%s: %w", o.configurationBy, o.configuration, err)
	}
	return o.settled(k, flags)
}

func (o node) settled(k formula.Kubelet, flags *pflag.FlagSet) (formula.Kubelet, error) {
	if flags.Changed(evictionMaximum) {
		k.EvictionMaxPodGracePeriod = o.set.EvictionMaxPodGracePeriod
	}
	if k.EvictionMaxPodGracePeriod > int64(effective.Longest/time.Second) {
		return k, fmt.Errorf("bad --%s=%d: it is in seconds, up to ten years", evictionMaximum,
			k.EvictionMaxPodGracePeriod)
	}
	for _, s := range settings {
		if !flags.Changed(s.flag) {
			continue
		}
		value := *s.of(&o.set)
		if value < s.least || value > s.most {
			return k, fmt.Errorf("bad --%s=%v: it is a time from %v to %s", s.flag, value, s.least,
				strings.Replace(s.most.String(), effective.Longest.String(), "ten years", 1))
		}
		*s.of(&k) = value
	}
	if flags.Changed(restartMaximum) && !k.Has(formula.NodeRestartPeriod) {
		return k, fmt.Errorf("--%s has no effect: %s", restartMaximum, k.Lacks(formula.NodeRestartPeriod))
	}
	return k, nil
}

func (o node) configured() (json.RawMessage, error) {
	text, err := o.read, error(nil)
	switch {
	case o.configuration != "":
		text, err = os.ReadFile(o.configuration)
	case o.read == nil:
		return json.RawMessage("{}"), nil
	}
	if err == nil {
		text, err = yaml.YAMLToJSON(text)
	}
	if err == nil {
		text, err = unwrapped(text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.TrimSuffix(o.configurationBy+"="+o.configuration, "="), err)
	}
	return text, nil
}

func unwrapped(configuration []byte) ([]byte, error) {
	var said struct {
		Kind          string          `json:"kind"`
		Kubeletconfig json.RawMessage `json:"kubeletconfig"`
	}
	if err := json.Unmarshal(configuration, &said); err != nil {
		return nil, err
	}
	switch {
	case said.Kubeletconfig != nil:
		return said.Kubeletconfig, nil
	case said.Kind != "KubeletConfiguration":
		return nil, fmt.Errorf("its kind is %q: name a KubeletConfiguration, or the output of /configz", said.Kind)
	}
	return configuration, nil
}
