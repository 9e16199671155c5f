package kubelet

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	kubeletv1beta1 "k8s.io/kubelet/config/v1beta1"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	kubeletscheme "k8s.io/kubernetes/pkg/kubelet/apis/config/scheme"
	"k8s.io/kubernetes/pkg/kubelet/apis/config/validation"
)

// ErrUnsupported says that this kubelet's version does not know a part of its configuration.
var ErrUnsupported = errors.New("this kubelet's version does not know a part of the configuration")

// base is what the workers of the node lane have, too: that no threshold is met by chance is kind's choice.
// The rest are the parts of a machine that a virtual one has not.
var base = map[string]any{
	"evictionHard": map[string]any{
		"imagefs.available": "0%",
		"nodefs.available":  "0%",
		"nodefs.inodesFree": "0%",
	},
	"imageGCHighThresholdPercent": 100,
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

// configure makes a kubelet's configuration of its version's defaults, the base and merge patches, sets the
// feature gates, and returns it together with its text as the kubelet's /configz would show it.
func configure(patches ...map[string]any) (*kubeletconfig.KubeletConfiguration, json.RawMessage, error) {
	_, codecs, err := kubeletscheme.NewSchemeAndCodecs(serializer.EnableStrict)
	if err != nil {
		return nil, nil, err
	}
	encoder, err := encoderOf(codecs)
	if err != nil {
		return nil, nil, err
	}
	config, err := options.NewKubeletConfiguration()
	if err != nil {
		return nil, nil, err
	}
	text, err := runtime.Encode(encoder, config)
	for _, p := range append([]map[string]any{base}, patches...) {
		if err == nil {
			text, err = merge(text, p)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	var first struct{ FeatureGates map[string]bool }
	if json.Unmarshal(text, &first) == nil { // else the decoder says what is wrong
		if err := setGates(first.FeatureGates); err != nil { // before the decoder, which panics where one can't be set
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

func merge(text []byte, patch map[string]any) ([]byte, error) {
	change, err := json.Marshal(patch)
	if err != nil || patch == nil {
		return text, err
	}
	return jsonpatch.MergePatch(text, change)
}

// setGates sets feature gates, and all others to their defaults: an earlier kubelet of this process may have set them.
func setGates(gates map[string]bool) error {
	known := utilfeature.DefaultMutableFeatureGate.GetAll()
	for _, name := range slices.Sorted(maps.Keys(gates)) {
		if _, ok := known[featuregate.Feature(name)]; !ok {
			return fmt.Errorf("%w: feature gate %s", ErrUnsupported, name)
		}
	}
	for name := range known {
		if err := utilfeature.DefaultMutableFeatureGate.ResetFeatureValueToDefault(name); err != nil {
			return err
		}
	}
	return utilfeature.DefaultMutableFeatureGate.SetFromMap(gates)
}

// gates are all feature gates that this kubelet knows.
func gates() map[string]bool {
	all := map[string]bool{}
	for name := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		all[string(name)] = utilfeature.DefaultFeatureGate.Enabled(name)
	}
	return all
}
