package manifest

import (
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// meant is a hint at the field that an unknown one may have been meant to be: one of the same object whose
// name is nearly the same.
func meant(path string, into runtime.Object) string {
	t := reflect.TypeOf(into)
	all := steps(path)
	if len(all) == 0 {
		return ""
	}
	last := all[len(all)-1]
	for _, step := range all[:len(all)-1] {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch t.Kind() {
		case reflect.Slice, reflect.Map:
			t = t.Elem()
		case reflect.Struct:
			f, found := fieldNamed(t, step)
			if !found {
				return ""
			}
			t = f
		default:
			return ""
		}
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return ""
	}
	best, distance := "", 3 // two letters may be wrong
	for _, name := range fieldNames(t) {
		if d := editDistance(strings.ToLower(name), strings.ToLower(last)); d < distance {
			best, distance = name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; is %s meant?", best)
}

// fieldNamed is the type of a struct's field by its name in JSON.
func fieldNamed(t reflect.Type, name string) (reflect.Type, bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == name {
			return f.Type, true
		}
		if f.Anonymous && tag == "" && f.Type.Kind() == reflect.Struct {
			if inner, found := fieldNamed(f.Type, name); found {
				return inner, true
			}
		}
	}
	return nil, false
}

// fieldNames are the names in JSON of a struct's fields.
func fieldNames(t reflect.Type) []string {
	var all []string
	for i := range t.NumField() {
		f := t.Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case tag != "":
			all = append(all, tag)
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			all = append(all, fieldNames(f.Type)...)
		}
	}
	return all
}

// editDistance is how many letters must be changed, added or left out to make one word of another.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			above := row[j+1]
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(above+1, row[j]+1, diagonal+cost)
			diagonal = above
		}
	}
	return row[len(b)]
}
