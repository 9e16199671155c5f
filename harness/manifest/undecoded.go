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
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
)

// decoder is the API server's own, which knows every field of every version.
var decoder = serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()

var (
	strictError = regexp.MustCompile(`^(unknown|duplicate) field "(.*)"$`)
	typeError   = regexp.MustCompile(
		`^json: cannot unmarshal (.+) into Go (?:struct field \S+ of type|value of type) (\S+)$`)
)

// undecoded records why and in which field an object could not be decoded.
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

// culprit returns the path of the value that makes the decoder fail, because decoders do not report it: it adds
// the values of the document one by one until decoding fails, then does the same within the last one. It is
// empty if the value is not found.
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
