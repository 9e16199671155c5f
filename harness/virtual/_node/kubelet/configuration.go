package kubelet

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	kubeletv1beta1 "k8s.io/kubelet/config/v1beta1"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	kubeletscheme "k8s.io/kubernetes/pkg/kubelet/apis/config/scheme"
	"k8s.io/kubernetes/pkg/kubelet/apis/config/validation"

	"github.com/podclock/podclock/harness/virtual/_node/patch"
)

// ErrUnsupported is the error of a configuration that this version does not know in full.
var ErrUnsupported = errors.New("this kubelet's version does not know a part of the configuration")

// base disables what a virtual machine does not have. As on the node lane's workers, no eviction threshold is met
// by chance, and volumes are measured often.
var base = map[string]any{
	"evictionHard": map[string]any{
		"imagefs.available": "0%",
		"nodefs.available":  "0%",
		"nodefs.inodesFree": "0%",
	},
	"imageGCHighThresholdPercent": 100,
	"volumeStatsAggPeriod":        "10s",
	"clusterDNS":                  []string{"10.96.0.10"},
	"clusterDomain":               "cluster.local",

	"cgroupsPerQOS":                 false,
	"enforceNodeAllocatable":        []string{"none"},
	"makeIPTablesUtilChains":        false,
	"enableControllerAttachDetach":  false,
	"resolvConf":                    "",
	"localStorageCapacityIsolation": true,
	"failSwapOn":                    false,
	"failCgroupV1":                  false,
}

// configure merges the version's defaults, base and patches, sets the feature gates, and returns the configuration
// with its text in /configz. The defaults are those without the gates of an earlier kubelet of this process.
func configure(patches ...map[string]any) (*kubeletconfig.KubeletConfiguration, json.RawMessage, error) {
	_, codecs, err := kubeletscheme.NewSchemeAndCodecs(serializer.EnableStrict)
	if err != nil {
		return nil, nil, err
	}
	encoder, err := encoderOf(codecs)
	if err != nil {
		return nil, nil, err
	}
	if err := setGates(nil); err != nil {
		return nil, nil, err
	}
	config, err := options.NewKubeletConfiguration()
	if err != nil {
		return nil, nil, err
	}
	text, err := runtime.Encode(encoder, config)
	if err != nil {
		return nil, nil, err
	}
	if text, err = merged(text, patches...); err != nil {
		return nil, nil, err
	}
	var first struct{ FeatureGates map[string]bool }
	if json.Unmarshal(text, &first) == nil {
		if err := setGates(first.FeatureGates); err != nil {
			return nil, nil, err
		}
	}
	decoded, _, err := codecs.UniversalDecoder().Decode(text, nil, nil)
	if runtime.IsStrictDecodingError(err) {
		return nil, nil, fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	if err != nil {
		return nil, nil, err
	}
	config = decoded.(*kubeletconfig.KubeletConfiguration)
	if err := validation.ValidateKubeletConfiguration(config, utilfeature.DefaultFeatureGate); err != nil {
		return nil, nil, err
	}
	text, err = runtime.Encode(encoder, config)
	return config, text, err
}

func encoderOf(codecs *serializer.CodecFactory) (runtime.Encoder, error) {
	info, ok := runtime.SerializerInfoForMediaType(codecs.SupportedMediaTypes(), runtime.ContentTypeJSON)
	if !ok {
		return nil, errors.New("the kubelet's configuration has no JSON form")
	}
	return codecs.EncoderForVersion(info.Serializer, kubeletv1beta1.SchemeGroupVersion), nil
}

// merged returns a configuration with base and patches.
func merged(text []byte, patches ...map[string]any) (_ []byte, err error) {
	for _, p := range append([]map[string]any{base}, patches...) {
		if text, err = merge(text, p); err != nil {
			return nil, err
		}
	}
	return text, nil
}

func merge(text []byte, values map[string]any) ([]byte, error) {
	change, err := json.Marshal(values)
	if err != nil || values == nil {
		return text, err
	}
	return patch.Merge(text, change)
}

// setGates resets all other feature gates: an earlier kubelet of this process may have set them.
func setGates(gates map[string]bool) error {
	known := utilfeature.DefaultMutableFeatureGate.GetAll()
	for _, name := range slices.Sorted(maps.Keys(gates)) {
		if _, ok := known[featuregate.Feature(name)]; !ok {
			return fmt.Errorf("%w: feature gate %s", ErrUnsupported, name)
		}
	}
	changed := map[string]bool{} // not all: AllBeta at its default would set the beta gates that nobody set
	for name, spec := range known {
		if utilfeature.DefaultFeatureGate.Enabled(name) != spec.Default {
			changed[string(name)] = spec.Default
		}
	}
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(changed); err != nil {
		return err
	}
	return utilfeature.DefaultMutableFeatureGate.SetFromMap(gates)
}

func gates() map[string]bool {
	all := map[string]bool{}
	for name := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		all[string(name)] = utilfeature.DefaultFeatureGate.Enabled(name)
	}
	return all
}
