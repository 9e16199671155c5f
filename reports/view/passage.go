package view

import (
	"fmt"
	"io"
	"strings"
)

// Passage is one section of a report in words: a table, lines, or both. Every renderer for people writes the
// same passages.
type Passage struct {
	// ID names the passage among the others, as in an address.
	ID    string `json:"id"`
	Title string `json:"title"`
	// Note is what a reader must know of everything that follows.
	Note string `json:"note,omitempty"`
	// Header and Rows are a table. Its first column is a name.
	Header []string   `json:"header,omitempty"`
	Rows   [][]string `json:"rows,omitempty"`
	Lines  []Line     `json:"lines,omitempty"`
	// Code are the columns that are set in a fixed-width font.
	Code []int `json:"code,omitempty"`
	// Rest is how many more rows or lines were left out.
	Rest int `json:"rest,omitempty"`
}

// AddRow adds a row of a table. It formats each cell as fmt.Print does.
func (p *Passage) AddRow(cells ...any) {
	texts := make([]string, len(cells))
	for i, c := range cells {
		texts[i] = fmt.Sprint(c)
	}
	p.Rows = append(p.Rows, texts)
}

// AddLine adds a line, and what belongs to it.
func (p *Passage) AddLine(text string, more ...string) {
	p.Lines = append(p.Lines, Line{Text: text, More: more})
}

// Cut leaves the first rows and lines.
func (p Passage) Cut(most int) Passage {
	if more := len(p.Rows) - most; more > 0 {
		p.Rows, p.Rest = p.Rows[:most], p.Rest+more
	}
	if more := len(p.Lines) - most; more > 0 {
		p.Lines, p.Rest = p.Lines[:most], p.Rest+more
	}
	return p
}

// Line is one item of a list, and what belongs to it.
type Line struct {
	Text string   `json:"text"`
	More []string `json:"more,omitempty"`
	// Link is the path of a file about the item, relative to the run's folder.
	Link string `json:"link,omitempty"`
}

// RestText says how much was left out, or nothing.
func (p Passage) RestText() string {
	if p.Rest == 0 {
		return ""
	}
	return fmt.Sprintf("and %d more", p.Rest)
}

// LinesOf makes one line of every text.
func LinesOf(texts ...string) []Line {
	var all []Line
	for _, text := range texts {
		all = append(all, Line{Text: text})
	}
	return all
}

// WriteAll writes a rendered text. what names it in an error.
func WriteAll(w io.Writer, what string, b *strings.Builder) error {
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing %s: %w", what, err)
	}
	return nil
}
