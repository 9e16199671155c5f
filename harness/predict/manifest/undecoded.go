package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	strictError = regexp.MustCompile(`^(unknown|duplicate) field "(.*)"$`)
	typeError   = regexp.MustCompile(
		`^json: cannot unmarshal (.+) into Go (?:struct field \S+ of type|value of type) (\S+)$`)
)

func (r *reading) decode(text []byte, kind *schema.GroupVersionKind, into runtime.Object) (runtime.Object, error) {
	object, _, err := decoder.Decode(text, kind, into)
	if r.served && runtime.IsStrictDecodingError(err) {
		err = nil // the object is complete, without the fields that err names
	}
	return object, err
}

func (r *reading) undecoded(at place, err error, text []byte, kind schema.GroupVersionKind, into runtime.Object) {
	strict, isStrict := runtime.AsStrictDecodingError(err)
	if !isStrict {
		r.wrong(at, culprit(text, kind), withoutGoTypes(err))
		return
	}
	for _, e := range strict.Errors() {
		found := strictError.FindStringSubmatch(e.Error())
		switch {
		case found == nil:
			r.wrong(at, "", e.Error())
		case found[1] == "duplicate":
			r.wrong(at, found[2], "is set twice, and only the last value would count: keep one")
		default:
			r.wrong(at, found[2], "unknown field"+suggestion(found[2], into))
		}
	}
}

// withoutGoTypes writes a decoder's error in the terms of YAML.
func withoutGoTypes(err error) string {
	found := typeError.FindStringSubmatch(err.Error())
	if found == nil {
		return "cannot be read: " + strings.TrimPrefix(err.Error(), "json: ")
	}
	is, wanted := found[1], found[2]
	switch {
	case strings.HasPrefix(wanted, "[]"):
		wanted = "a list"
	case strings.HasPrefix(wanted, "map["):
		wanted = "a mapping"
	case strings.Contains(wanted, "int"):
		wanted = "a whole number (" + wanted + ")"
	case strings.HasPrefix(wanted, "bool"):
		wanted = "true or false"
	case wanted == "string":
		wanted = "a string: put it into quotes"
	case strings.Contains(wanted, "."):
		wanted = "an object"
	}
	switch {
	case is == "object":
		is = "an object"
	case is == "array":
		is = "a list"
	case is == "bool":
		is = "true or false"
	case !strings.HasPrefix(is, "number "):
		is = "a " + is
	}
	return fmt.Sprintf("is %s, but must be %s", is, wanted)
}

// culprit returns the path of the value at which the decoder fails, which decoders do not report. It adds the
// document's values one by one until decoding fails, then does the same within the last one.
func culprit(text []byte, kind schema.GroupVersionKind) string {
	var root map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // keeps numbers as they were written
	if d.Decode(&root) != nil {
		return ""
	}
	fails := func() bool {
		text, err := json.Marshal(root)
		if err != nil {
			return false
		}
		_, _, err = decoder.Decode(text, &kind, nil)
		return err != nil && !runtime.IsStrictDecodingError(err)
	}
	path := ""
	var descend func(node any, set func(any))
	descend = func(node any, set func(any)) {
		switch n := node.(type) {
		case map[string]any:
			kept := map[string]any{}
			set(kept)
			for _, key := range slices.Sorted(maps.Keys(n)) {
				if kept[key] = n[key]; fails() {
					path += "." + key
					descend(n[key], func(v any) { kept[key] = v })
					return
				}
			}
			set(n)
		case []any:
			for i := range n {
				if set(n[:i+1]); fails() {
					path += fmt.Sprintf("[%d]", i)
					kept := slices.Clone(n[:i+1])
					set(kept)
					descend(n[i], func(v any) { kept[i] = v })
					return
				}
			}
		}
	}
	descend(root, func(v any) { root, _ = v.(map[string]any) })
	return strings.TrimPrefix(path, ".")
}

// suggestion returns the same object's field whose name differs in at most two letters, or "".
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

func element(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

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
