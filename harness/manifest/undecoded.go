package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	strictError = regexp.MustCompile(`^(unknown|duplicate) field "(.*)"$`)
	// goType is the part of a decoder's error that speaks of the types of a program.
	goType = regexp.MustCompile(
		`^json: cannot unmarshal (.+) into Go (?:struct field \S+ of type|value of type) (\S+)$`,
	)
)

// undecoded records why an object could not be decoded, and where.
func (r *reading) undecoded(at place, err error, text []byte, kind schema.GroupVersionKind, into runtime.Object) {
	strict, isStrict := runtime.AsStrictDecodingError(err)
	if !isStrict {
		r.wrong(at, culprit(text, kind), plain(err))
		return
	}
	for _, e := range strict.Errors() {
		found := strictError.FindStringSubmatch(e.Error())
		switch {
		case found == nil:
			r.wrong(at, "", e.Error())
		case found[1] == "duplicate":
			r.wrong(at, found[2], "stands here twice, and the last one would count: leave one")
		default:
			r.wrong(at, found[2], "there is no such field"+meant(found[2], into))
		}
	}
}

// plain is a decoder's error without the types of a program.
func plain(err error) string {
	found := goType.FindStringSubmatch(err.Error())
	if found == nil {
		return "can't be read: " + strings.TrimPrefix(err.Error(), "json: ")
	}
	wanted := found[2]
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
		wanted = "a string; put it into quotes"
	case strings.Contains(wanted, "."):
		wanted = "an object"
	}
	is := found[1]
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
	return fmt.Sprintf("is %s where there must be %s", is, wanted)
}

// culprit is the path of the deepest value without which a document can be decoded, or fails of something
// else that comes later: decoders do not tell where they failed. It is empty where it can't be told.
func culprit(text []byte, kind schema.GroupVersionKind) string {
	var root map[string]any
	numbers := json.NewDecoder(bytes.NewReader(text))
	numbers.UseNumber() // they are to be written as they were
	if numbers.Decode(&root) != nil {
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
