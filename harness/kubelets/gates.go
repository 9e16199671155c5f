package kubelets

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// gated finds the feature gates at the end of a subject's name.
var gated = regexp.MustCompile(`(\+\w+=[^+/]*)+$`)

// cutGates splits a subject from its feature gates, sorted by name: "+EventedPLEG=true+MemoryQoS=false".
func cutGates(s string) (rest, gates string, err error) {
	rest = gated.ReplaceAllString(s, "")
	all := map[string]string{}
	for _, written := range strings.Split(s[len(rest):], "+")[1:] {
		name, value, _ := strings.Cut(written, "=")
		if value != "true" && value != "false" {
			return "", "", fmt.Errorf("feature gate %s is %q: write %[1]s=true or %[1]s=false", name, value)
		}
		if _, twice := all[name]; twice {
			return "", "", fmt.Errorf("feature gate %s occurs twice: remove one", name)
		}
		all[name] = value
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		gates += "+" + name + "=" + all[name]
	}
	return rest, gates, nil
}

// FeatureGates returns the feature gates that the subject's name sets. They win over those of trials.
func (s Subject) FeatureGates() map[string]bool {
	var all map[string]bool
	for _, gate := range strings.Split(s.Gates, "+")[1:] {
		if all == nil {
			all = map[string]bool{}
		}
		name, value, _ := strings.Cut(gate, "=")
		all[name] = value == "true"
	}
	return all
}
