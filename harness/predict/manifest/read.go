package manifest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/yaml"
)

const maxBytes = 256 << 20

// Read reads a stream of YAML or JSON documents. Messages have its name, by default "manifest". If one is wrong, it
// returns only an [*Invalid] with all problems. Of custom resources it reads the templates that it knows, and these.
func Read(from io.Reader, name string, templates ...Template) (Manifest, error) {
	return reading{name: name, templates: templates}.stream(from)
}

// ReadServed is Read for objects that an API server has. It ignores fields that only a newer API server knows.
func ReadServed(from io.Reader, name string, templates ...Template) (Manifest, error) {
	return reading{name: name, templates: templates, served: true}.stream(from)
}

// stream reads each document as r would.
func (r reading) stream(from io.Reader) (Manifest, error) {
	name := cmp.Or(r.name, "manifest")
	stream, err := io.ReadAll(io.LimitReader(from, maxBytes+1))
	switch {
	case err != nil:
		return Manifest{}, fmt.Errorf("reading %s: %w", name, err)
	case len(stream) > maxBytes:
		return Manifest{}, fmt.Errorf("reading %s: it is larger than %d MB, the maximum: split it", name, maxBytes>>20)
	}
	documents := split(stream)
	readings := make([]reading, len(documents))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, d := range documents {
		g.Go(func() error {
			readings[i] = reading{name: name, templates: r.templates, served: r.served}
			readings[i].document(d)
			return nil
		})
	}
	_ = g.Wait() // problems are recorded in readings
	return join(name, readings)
}

func join(name string, readings []reading) (Manifest, error) {
	var m Manifest
	var problems []Problem
	other, manifests := "", false
	for _, r := range readings {
		m.Add(r.found)
		problems = append(problems, r.problems...)
		other = cmp.Or(other, r.other)
		manifests = manifests || r.other == "" && !r.empty
	}
	switch invalid := (&Invalid{Name: name, Problems: problems}); {
	case len(problems) > 0 && other != "" && !manifests:
		return Manifest{}, Other{other, invalid}
	case len(problems) > 0:
		return Manifest{}, invalid
	}
	slices.SortFunc(m.Skipped, func(a, b Skipped) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return m, nil
}

func (r *reading) document(d document) {
	if d.separator != "" {
		wrong := fmt.Sprintf("the document separator is followed by %q: put it into a line of its own", d.separator)
		r.problems = append(r.problems, Problem{Document: d.number, Line: d.line - 1, Wrong: wrong})
		return
	}
	text, problems := d.asJSON()
	r.problems = append(r.problems, problems...)
	r.empty = string(text) == "null"
	if len(problems) == 1 && problems[0].Wrong == unrendered {
		r.other = "template to render"
	}
	if len(problems) == 0 && !r.empty {
		r.object(place{lines: &lines{document: d}}, text)
	}
}

const unrendered = "it is a template: render it first, for example with `helm template`"

func (d document) asJSON() ([]byte, []Problem) {
	if json.Valid(d.text) {
		return bytes.TrimSpace(d.text), nil
	}
	text, err := yaml.YAMLToJSONStrict(d.text)
	if err == nil {
		return text, nil
	}
	// The strict parser takes a key that replaces a merged one ("<<") for a duplicate; the newer parser does not.
	if text, lenient := yaml.YAMLToJSON(d.text); lenient == nil {
		var anything any
		if yamlv3.Unmarshal(d.text, &anything) == nil {
			return text, nil
		}
	}
	// Blank lines before the document make the parser count the stream's lines.
	if _, inStream := yaml.YAMLToJSONStrict(append(bytes.Repeat([]byte("\n"), d.line-1), d.text...)); inStream != nil {
		err = inStream
	}
	if before, _, template := bytes.Cut(d.text, []byte("{{")); template {
		line := d.line + bytes.Count(before, []byte("\n"))
		return nil, []Problem{{Document: d.number, Line: line, Wrong: unrendered}}
	}
	return nil, d.syntaxProblems(err)
}

var parserLine = regexp.MustCompile(`^\s*(?:yaml: )?(?:error converting YAML to JSON: )?(?:yaml: )?line (\d+): (.*)$`)

// syntaxProblems returns a YAML parser's problems, one in each line of its error.
func (d document) syntaxProblems(err error) []Problem {
	var all []Problem
	add := func(line int, text string) {
		all = append(all, Problem{Document: d.number, Line: line, Wrong: "invalid YAML: " + text})
	}
	for _, text := range strings.Split(err.Error(), "\n") {
		if found := parserLine.FindStringSubmatch(text); found != nil {
			n, _ := strconv.Atoi(found[1])
			add(d.within(n), found[2])
		} else if !strings.HasSuffix(text, "unmarshal errors:") { // the head of a list
			text = strings.TrimPrefix(text, "error converting YAML to JSON: ")
			add(d.line, strings.TrimPrefix(text, "yaml: "))
		}
	}
	if len(all) == 0 {
		add(d.line, err.Error())
	}
	return all
}
