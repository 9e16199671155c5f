package nodes

import (
	"encoding/json"
	"reflect"
	"slices"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"sigs.k8s.io/yaml"
)

func mergeYAML(doc []byte, patch map[string]any) ([]byte, error) {
	before, err := yaml.YAMLToJSON(doc)
	if err != nil {
		return nil, err
	}
	change, err := json.Marshal(patch)
	if err != nil {
		return nil, err
	}
	after, err := jsonpatch.MergePatch(before, change)
	if err != nil {
		return nil, err
	}
	return yaml.JSONToYAML(after)
}

// ignoredFields returns the fields of a merge patch that an effective configuration lacks, as sorted dotted paths.
func ignoredFields(patch map[string]any, effective json.RawMessage) ([]string, error) {
	raw, err := json.Marshal(patch)
	if err != nil {
		return nil, err
	}
	var want, have any
	if err := json.Unmarshal(raw, &want); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(effective, &have); err != nil {
		return nil, err
	}
	paths := differences("", want, have)
	slices.Sort(paths)
	return paths, nil
}

func differences(path string, want, have any) []string {
	if want == nil { // the patch removes the field, so it has its default
		return nil
	}
	if fields, ok := want.(map[string]any); ok {
		haveFields, _ := have.(map[string]any)
		var all []string
		for name, value := range fields {
			below := name
			if path != "" {
				below = path + "." + name
			}
			all = append(all, differences(below, value, haveFields[name])...)
		}
		return all
	}
	if reflect.DeepEqual(want, have) || sameDuration(want, have) || (have == nil && reflect.ValueOf(want).IsZero()) {
		return nil
	}
	return []string{path}
}

func sameDuration(want, have any) bool {
	a, ok := want.(string)
	if !ok {
		return false
	}
	b, ok := have.(string)
	if !ok {
		b = "0s"
	}
	x, err := time.ParseDuration(a)
	if err != nil {
		return false
	}
	y, err := time.ParseDuration(b)
	return err == nil && x == y
}
