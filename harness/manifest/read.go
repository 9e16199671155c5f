package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/yaml"
)

// mostBytes is how much of a stream is read: more is no manifest that somebody wrote.
const mostBytes = 256 << 20

// Options are how a manifest is read.
type Options struct {
	// Name is what errors call the manifest: a file's name. It is "manifest" where it is empty.
	Name string
	// SkipUnknown skips kinds that Kubernetes does not have, such as custom resources, as it does those
	// that make no pods. Without it they are errors: a kind that is spelled wrong would be missed.
	SkipUnknown bool
}

// Read reads a stream of YAML or JSON documents. Its error is an [*Invalid] that tells everything that is
// wrong, or what kept it from reading; there is no manifest then, not even of the documents that are right.
func Read(from io.Reader, o Options) (Manifest, error) {
	if o.Name == "" {
		o.Name = "manifest"
	}
	stream, err := io.ReadAll(io.LimitReader(from, mostBytes+1))
	switch {
	case err != nil:
		return Manifest{}, fmt.Errorf("reading %s: %w", o.Name, err)
	case len(stream) > mostBytes:
		return Manifest{}, fmt.Errorf(
			"reading %s: it is larger than %d MB, the most that is read: give it in parts",
			o.Name,
			mostBytes>>20,
		)
	}
	documents := split(stream)
	readings := make([]reading, len(documents))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, d := range documents {
		g.Go(func() error {
			readings[i] = reading{options: o, skipped: map[string]int{}}
			readings[i].document(d)
			return nil
		})
	}
	_ = g.Wait() // what is wrong is recorded
	return together(o.Name, readings)
}

// together is what the documents of a manifest hold, or all that is wrong with any of them.
func together(name string, readings []reading) (Manifest, error) {
	var m Manifest
	var problems []Problem
	skipped := map[string]int{}
	for _, r := range readings {
		m.Objects, problems = append(m.Objects, r.objects...), append(problems, r.problems...)
		for kind, n := range r.skipped {
			skipped[kind] += n
		}
	}
	if len(problems) > 0 {
		return Manifest{}, &Invalid{Name: name, Problems: problems}
	}
	for _, kind := range slices.Sorted(maps.Keys(skipped)) {
		m.Skipped = append(m.Skipped, Skipped{Kind: kind, Count: skipped[kind]})
	}
	return m, nil
}

// reading is a document of a manifest on its way.
type reading struct {
	options  Options
	objects  []Object
	skipped  map[string]int
	problems []Problem
}

// document reads one document of the stream.
func (r *reading) document(d document) {
	if d.separator != "" {
		r.problems = append(r.problems, Problem{
			Document: d.number,
			Line:     d.line - 1,
			Wrong: fmt.Sprintf(
				"behind the separator of documents stands %q: put it into a line of its own",
				d.separator,
			),
		})
		return
	}
	text, problems := d.asJSON()
	if len(problems) > 0 {
		r.problems = append(r.problems, problems...)
		return
	}
	if string(text) == "null" {
		return
	}
	r.object(place{lines: &lines{document: d}}, text)
}

// asJSON is the document as JSON, or what of it is no YAML.
func (d document) asJSON() ([]byte, []Problem) {
	if json.Valid(d.text) {
		return bytes.TrimSpace(d.text), nil
	}
	text, err := yaml.YAMLToJSONStrict(d.text)
	if err == nil {
		return text, nil
	}
	// It takes a key that replaces a merged one ("<<") for one that stands twice; the newer parser does not.
	if text, lenient := yaml.YAMLToJSON(d.text); lenient == nil {
		var anything any
		if yamlv3.Unmarshal(d.text, &anything) == nil {
			return text, nil
		}
	}
	// The parser counts lines from the document's first one: with the lines before it, it tells those of the stream.
	if _, told := yaml.YAMLToJSONStrict(append(bytes.Repeat([]byte("\n"), d.line-1), d.text...)); told != nil {
		err = told
	}
	return nil, d.syntaxProblems(err)
}

var lineOfParser = regexp.MustCompile(`^\s*(?:yaml: )?(?:error converting YAML to JSON: )?(?:yaml: )?line (\d+): (.*)$`)

// syntaxProblems are the problems that the parser of YAML tells, one or a line each.
func (d document) syntaxProblems(err error) []Problem {
	var all []Problem
	for _, text := range strings.Split(err.Error(), "\n") {
		p := Problem{Document: d.number, Line: d.line}
		if found := lineOfParser.FindStringSubmatch(text); found != nil {
			n, _ := strconv.Atoi(found[1])
			p.Line = d.within(n)
			text = found[2]
		} else if strings.HasSuffix(text, "unmarshal errors:") {
			continue // the head of a list
		}
		p.Wrong = "this is no YAML that can be read: " + strings.TrimPrefix(
			strings.TrimPrefix(text, "error converting YAML to JSON: "),
			"yaml: ",
		)
		all = append(all, p)
	}
	if len(all) == 0 {
		all = append(
			all,
			Problem{Document: d.number, Line: d.line, Wrong: "this is no YAML that can be read: " + err.Error()},
		)
	}
	return all
}

// place is where in a document something stands.
type place struct {
	lines *lines
	// path leads to the object: empty, or "items[2]" of a list.
	path string
	// object names it, as far as it is known.
	object string
}

// in is the path of a field of the object.
func (p place) in(field string) string {
	switch {
	case p.path == "":
		return field
	case field == "" || strings.HasPrefix(field, "["):
		return p.path + field
	}
	return p.path + "." + field
}

// wrong records a problem of a field of an object.
func (r *reading) wrong(at place, field, what string) {
	path := at.in(field)
	r.problems = append(
		r.problems,
		Problem{
			Document: at.lines.document.number,
			Line:     at.lines.of(path),
			Object:   at.object,
			Field:    path,
			Wrong:    what,
		},
	)
}
