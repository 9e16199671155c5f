package manifest

import (
	"bytes"
	"encoding/json"
	"iter"
)

// document is one document of a stream: its number and the first line of its text, both from 1. The text
// begins with what is no comment.
type document struct {
	number, line int
	text         []byte
	// separator is what stood behind the "---" before it and is no comment.
	separator string
}

// split finds the documents of a stream: between lines of "---" or "...", and JSON objects that follow each
// other. Those without content are left out.
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

// separator says whether a line ends a document, and what it holds beside a comment.
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

// hasContent says whether a text holds more than blank lines, comments and directives.
func hasContent(text []byte) bool {
	for line := range linesOf(text) {
		if !isComment(line) && line[0] != '%' {
			return true
		}
	}
	return false
}

// isComment says whether a line, or several that end in carriage returns, holds nothing but comments.
func isComment(text []byte) bool {
	for line := range linesOf(text) {
		if line[0] != '#' {
			return false
		}
	}
	return true
}

// linesOf are the lines of a text that are not blank, without the blanks around them. A carriage return
// alone ends a line, too.
func linesOf(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for line := range bytes.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
			if line = bytes.TrimSpace(line); len(line) > 0 && !yield(line) {
				return
			}
		}
	}
}

// jsonValues are the JSON objects that a document holds one after another; the document itself where it
// does not begin with one.
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

// lineAt is the line of the stream that an offset of the document's text is in.
func (d document) lineAt(offset int) int { return d.line + bytes.Count(d.text[:offset], []byte("\n")) }

// within is a line of the stream as a parser tells it, as one of the document's: a parser may tell the line
// behind the last one, and takes a carriage return alone for the end of a line, too.
func (d document) within(line int) int {
	return min(max(line, d.line), d.lineAt(len(bytes.TrimRight(d.text, "\r\n"))))
}
