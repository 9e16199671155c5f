package manifest

import (
	"fmt"
	"strings"
)

// maxShown is the number of problems that an error lists.
const maxShown = 20

// Problem is one error in a manifest.
type Problem struct {
	// Document is the number of the document, from 1, as in [Object].
	Document int `json:"document,omitempty"`
	// Line is the line of the stream, from 1. It is 0 if the line is not known.
	Line int `json:"line,omitempty"`
	// Object is the object's kind and name, as far as they could be read: "Deployment web".
	Object string `json:"object,omitempty"`
	// Field is the field's path in the document. It is empty if the problem is not about a single field.
	Field string `json:"field,omitempty"`
	// Wrong describes the problem and its remedy.
	Wrong string `json:"wrong"`
}

// String writes the problem in one line.
func (p Problem) String() string {
	var b strings.Builder
	if p.Document > 0 {
		fmt.Fprintf(&b, "document %d", p.Document)
		if p.Line > 0 {
			fmt.Fprintf(&b, ", line %d", p.Line)
		}
		b.WriteString(": ")
	}
	for _, part := range []string{p.Object, p.Field} {
		if part != "" {
			b.WriteString(part + ": ")
		}
	}
	return b.String() + p.Wrong
}

// Invalid is the error of a manifest with problems.
type Invalid struct {
	// Name is the name of the manifest in messages, such as a file's name.
	Name string
	// Problems are all problems in the order of the stream.
	Problems []Problem
}

// Error lists the problems, up to maxShown.
func (e *Invalid) Error() string {
	if len(e.Problems) == 1 {
		return fmt.Sprintf("%s: %s", e.Name, e.Problems[0])
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d problems; nothing is predicted until they are solved", e.Name, len(e.Problems))
	for i, p := range e.Problems {
		if i == maxShown {
			fmt.Fprintf(&b, "\n  and %d more", len(e.Problems)-maxShown)
			break
		}
		fmt.Fprintf(&b, "\n  %s", p)
	}
	return b.String()
}

// reading is the result of reading one document so far.
type reading struct {
	options  Options
	objects  []Object
	skipped  map[string]int
	problems []Problem
}

// wrong records a problem of a field of an object.
func (r *reading) wrong(at place, field, what string) {
	path, document := at.in(field), at.lines.document.number
	r.problems = append(r.problems,
		Problem{Document: document, Line: at.lines.of(path), Object: at.object, Field: path, Wrong: what})
}

// place is an object's place in a document.
type place struct {
	lines *lines
	// path is the path of the object: empty, or "items[2]" of a list.
	path string
	// object names the object, as far as it is known.
	object string
}

// in returns the path of a field of the object.
func (p place) in(field string) string {
	switch {
	case p.path == "":
		return field
	case field == "" || strings.HasPrefix(field, "["):
		return p.path + field
	}
	return p.path + "." + field
}

// item returns the place of an item of a list.
func (p place) item(i int, object string) place {
	return place{lines: p.lines, path: p.in(fmt.Sprintf("items[%d]", i)), object: object}
}

// Options are how a manifest is read.
type Options struct {
	// Name is the name of the manifest in messages, such as a file's name. The default is "manifest".
	Name string
	// SkipUnknown skips kinds that Kubernetes does not have, such as custom resources. Without it they are
	// errors, because a misspelled kind would be missed.
	SkipUnknown bool
}
