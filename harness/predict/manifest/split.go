package manifest

import (
	"bytes"
	"encoding/json"
	"iter"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

type document struct {
	number, line int
	// text begins after leading comments.
	text []byte
	// the text after the "---" before the document, without comments
	separator string
}

// split returns the documents with content, divided by lines of "---" or "...", or JSON objects that follow each
// other.
func split(stream []byte) []document {
	stream = bytes.TrimPrefix(stream, []byte("\uFEFF"))
	var all []document
	current := document{line: 1}
	end := func(next document) {
		for _, d := range current.jsonValues() {
			if hasContent(d.text) || d.separator != "" {
				d.number = len(all) + 1
				all = append(all, d)
			}
		}
		current = next
	}
	line := 0
	for text := range bytes.Lines(stream) {
		line++
		switch rest, isSeparator := separator(text); {
		case !isSeparator && len(current.text) == 0 && current.separator == "" && isComment(text):
			current.line = line + 1
		case !isSeparator:
			current.text = append(current.text, text...)
		case len(current.text) == 0 && current.separator == "":
			current = document{line: line + 1, separator: rest}
		default:
			end(document{line: line + 1, separator: rest})
		}
	}
	end(document{})
	return all
}

// separator reports whether a line ends a document, and returns its text without comments.
func separator(line []byte) (rest string, is bool) {
	after, found := bytes.CutPrefix(line, []byte("---"))
	if !found {
		after, found = bytes.CutPrefix(line, []byte("..."))
	}
	if !found || len(after) > 0 && !bytes.ContainsRune([]byte(" \t\r\n"), rune(after[0])) {
		return "", false
	}
	after = bytes.TrimSpace(after)
	if bytes.HasPrefix(after, []byte("#")) {
		return "", true
	}
	return string(after), true
}

// hasContent reports whether a text holds more than blank lines, comments and directives.
func hasContent(text []byte) bool {
	for line := range linesOf(text) {
		if !isComment(line) && line[0] != '%' {
			return true
		}
	}
	return false
}

// isComment reports whether a line, which may contain carriage returns, holds only comments.
func isComment(text []byte) bool {
	for line := range linesOf(text) {
		if line[0] != '#' {
			return false
		}
	}
	return true
}

func linesOf(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for line := range bytes.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
			if line = bytes.TrimSpace(line); len(line) > 0 && !yield(line) {
				return
			}
		}
	}
}

// jsonValues returns a document's JSON objects, or the document itself if it does not begin with one.
func (d document) jsonValues() []document {
	if !bytes.HasPrefix(bytes.TrimSpace(d.text), []byte("{")) {
		return []document{d}
	}
	var all []document
	for decoder, at := json.NewDecoder(bytes.NewReader(d.text)), 0; len(bytes.TrimSpace(d.text[at:])) > 0; {
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			if len(all) == 0 {
				return []document{d} // YAML that begins with a brace
			}
			return append(all, document{line: d.lineAt(at), text: d.text[at:]})
		}
		at = int(decoder.InputOffset())
		all = append(all, document{line: d.lineAt(at - len(value)), text: value})
	}
	all[0].separator = d.separator
	return all
}

func (d document) lineAt(offset int) int { return d.line + bytes.Count(d.text[:offset], []byte("\n")) }

// within limits a parser's line, which may be the one after the last, and counts a single carriage return as an end
// of line.
func (d document) within(line int) int {
	return min(max(line, d.line), d.lineAt(len(bytes.TrimRight(d.text, "\r\n"))))
}

// lines finds the lines of fields. The first call parses the text a second time.
type lines struct {
	document document
	parse    sync.Once
	root     *yaml.Node
}

// of returns the line of a field or of its nearest parent, or else the document's first line.
func (l *lines) of(path string) int {
	if path == "" {
		return l.document.line
	}
	l.parse.Do(func() {
		var n yaml.Node
		if yaml.Unmarshal(l.document.text, &n) == nil && len(n.Content) == 1 {
			l.root = n.Content[0]
		}
	})
	if l.root == nil {
		return l.document.line
	}
	line, node := l.root.Line, l.root
	for _, step := range steps(path) {
		key, value := child(node, step, maxMerges)
		if value == nil {
			break
		}
		line, node = key.Line, value
	}
	return l.document.within(l.document.line + line - 1)
}

// maxMerges limits merges within merges, because an anchor may contain itself.
const maxMerges = 10

// child returns the value of a mapping's key or a sequence's item, and the node that has its line. It follows
// anchors and merges ("<<").
func child(n *yaml.Node, step string, merges int) (at, value *yaml.Node) {
	for n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	switch n.Kind {
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(n.Content) {
			return n.Content[i], n.Content[i]
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == step {
				return n.Content[i], n.Content[i+1]
			}
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Tag == "!!merge" && merges > 0 {
				if at, value := child(n.Content[i+1], step, merges-1); value != nil {
					return at, value
				}
			}
		}
	}
	return nil, nil
}

// steps splits a field path: "a.b[0][c.d/e]" is a, b, 0, c.d/e.
func steps(path string) []string {
	var all []string
	for path != "" {
		var step string
		if strings.HasPrefix(path, "[") {
			step, path, _ = strings.Cut(path[1:], "]")
		} else {
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			step, path = path[:end], path[end:]
		}
		path = strings.TrimPrefix(path, ".")
		if step != "" {
			all = append(all, step)
		}
	}
	return all
}
