package manifest

import (
	"fmt"
	"maps"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// suggestion names the field of the same object whose name differs from an unknown one in at most two letters.
// It is empty if there is none.
func suggestion(path string, into runtime.Object) string {
	t := reflect.TypeOf(into)
	all := steps(path)
	if len(all) == 0 {
		return ""
	}
	unknown := all[len(all)-1]
	for _, step := range all[:len(all)-1] {
		switch t = element(t); t.Kind() {
		case reflect.Slice, reflect.Map:
			t = t.Elem()
		case reflect.Struct:
			f, known := fieldsOf(t)[step]
			if !known {
				return ""
			}
			t = f
		default:
			return ""
		}
	}
	if t = element(t); t.Kind() != reflect.Struct {
		return ""
	}
	best, distance := "", 3
	for name := range fieldsOf(t) {
		d := editDistance(strings.ToLower(name), strings.ToLower(unknown))
		if d < distance || d == distance && name < best {
			best, distance = name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", best)
}

// element returns the type that pointers point to.
func element(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// fieldsOf returns the types of a struct's fields by their names in JSON.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for i := range t.NumField() {
		f := t.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			all[name] = f.Type
		} else if f.Anonymous && f.Type.Kind() == reflect.Struct {
			maps.Copy(all, fieldsOf(f.Type))
		}
	}
	return all
}

// editDistance returns the number of letters to change, add or remove to make one word of another.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			above, cost := row[j+1], 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(above+1, row[j]+1, diagonal+cost)
			diagonal = above
		}
	}
	return row[len(b)]
}
