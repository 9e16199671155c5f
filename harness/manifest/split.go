package manifest

import (
	"bytes"
	"encoding/json"
	"iter"
)

// document is one document of a stream.
type document struct {
	// number is the document's number, line the first line of its text, both from 1.
	number, line int
	// text begins after leading comments.
	text []byte
	// separator is the text after the "---" before the document, without comments.
	separator string
}

// split returns the documents of a stream that have content. They are divided by lines of "---" or "...", or
// are JSON objects that follow each other.
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

// isComment reports whether a line holds only comments. It may be several lines that end in carriage returns.
func isComment(text []byte) bool {
	for line := range linesOf(text) {
		if line[0] != '#' {
			return false
		}
	}
	return true
}

// linesOf yields the lines of a text that are not blank, trimmed. A single carriage return also ends a line.
func linesOf(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for line := range bytes.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
			if line = bytes.TrimSpace(line); len(line) > 0 && !yield(line) {
				return
			}
		}
	}
}

// jsonValues returns the JSON objects of a document, or the document itself if it does not begin with one.
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

// lineAt returns the stream's line of an offset of the document's text.
func (d document) lineAt(offset int) int { return d.line + bytes.Count(d.text[:offset], []byte("\n")) }

// within limits a line number of a parser to the document's lines. A parser may report the line after the last
// one, and counts a single carriage return as the end of a line.
func (d document) within(line int) int {
	return min(max(line, d.line), d.lineAt(len(bytes.TrimRight(d.text, "\r\n"))))
}
