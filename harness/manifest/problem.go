package manifest

import (
	"fmt"
	"strings"
)

// mostTold is how many problems an error tells; the rest it counts.
const mostTold = 20

// Problem is one thing that is wrong with a manifest.
type Problem struct {
	// Document is the number of the document, from 1, as [Object]'s; 0 where the stream as a whole is
	// meant. Line is the line of the stream, from 1, 0 where that is not known.
	Document int `json:"document,omitempty"`
	Line     int `json:"line,omitempty"`
	// Object is the object's kind and name, as far as they could be read: "Deployment web".
	Object string `json:"object,omitempty"`
	// Field is the field's path in the document, empty where it is no single field.
	Field string `json:"field,omitempty"`
	// Wrong says what is wrong and, where that does not follow from it, what to do.
	Wrong string `json:"wrong"`
}

// String says it in one line.
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

// Invalid is the error of a manifest that holds anything that is wrong.
type Invalid struct {
	// Name is what the manifest is called: a file's name.
	Name string
	// Problems are all that was found, in the order of the stream.
	Problems []Problem
}

// Error tells the problems, a line each where there are several.
func (e *Invalid) Error() string {
	if len(e.Problems) == 1 {
		return fmt.Sprintf("%s: %s", e.Name, e.Problems[0])
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d problems, and nothing is predicted before they are solved", e.Name, len(e.Problems))
	for i, p := range e.Problems {
		if i == mostTold {
			fmt.Fprintf(&b, "\n  and %d more", len(e.Problems)-mostTold)
			break
		}
		fmt.Fprintf(&b, "\n  %s", p)
	}
	return b.String()
}
