package cluster

import (
	"encoding/json"
	"reflect"
	"slices"
	"time"
)

// ignoredFields returns the fields of a merge patch that an effective
// configuration does not have, as dotted paths in order. Durations are equal
// however they are spelled, and a field that is left out is zero.
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
	if want == nil { // the patch removes it; what takes its place is a default
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
