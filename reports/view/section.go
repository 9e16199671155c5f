package view

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Section is one section of a report in words: a table, lines, or both. Every renderer for people writes the
// same sections.
type Section struct {
	// ID identifies the section, for example in a link.
	ID    string `json:"id"`
	Title string `json:"title"`
	// Note is what a reader must know about the rows and lines.
	Note string `json:"note,omitempty"`
	// Header and Rows are a table. Its first column is a name.
	Header []string   `json:"header,omitempty"`
	Rows   [][]string `json:"rows,omitempty"`
	Lines  []Line     `json:"lines,omitempty"`
	// Code are the numbers of the columns in a fixed-width font.
	Code []int `json:"code,omitempty"`
	// Rest is how many rows or lines were left out.
	Rest int `json:"rest,omitempty"`
	// Block is text below the lines.
	Block Block `json:"block,omitzero"`
	// numbers has a row for each row that AddRow added: which cells are numbers.
	numbers [][]bool
}

// Block is text whose lines stay as they are, such as a difference. About introduces one that Markdown and pages fold.
type Block struct {
	About string `json:"about,omitempty"`
	// Language is the kind of the text, for Markdown.
	Language string `json:"language,omitempty"`
	Text     string `json:"text"`
}

// Number is a cell with a number and its unit, or with a dash if there is none.
type Number string

// AddRow adds a row of a table. It formats each cell as fmt.Print does.
func (p *Section) AddRow(cells ...any) {
	texts, numbers := make([]string, len(cells)), make([]bool, len(cells))
	for i, c := range cells {
		texts[i] = fmt.Sprint(c)
		switch c.(type) {
		case int, Number:
			numbers[i] = true
		}
	}
	p.Rows, p.numbers = append(p.Rows, texts), append(p.numbers, numbers)
}

// Numbers reports for each column whether all its cells are numbers. The rows are those of AddRow.
func (p Section) Numbers() []bool {
	all := slices.Repeat([]bool{true}, len(p.Header))
	for _, row := range p.numbers[:len(p.Rows)] {
		for i, is := range row {
			all[i] = all[i] && is
		}
	}
	return all
}

// AddLine adds a line and its details.
func (p *Section) AddLine(text string, more ...string) {
	p.Lines = append(p.Lines, Line{Text: text, More: more})
}

// Cut returns the section with at most the given number of rows and of lines.
func (p Section) Cut(most int) Section {
	if more := len(p.Rows) - most; more > 0 {
		p.Rows, p.Rest = p.Rows[:most], p.Rest+more
	}
	if more := len(p.Lines) - most; more > 0 {
		p.Lines, p.Rest = p.Lines[:most], p.Rest+more
	}
	return p
}

// CellsOf returns texts as a row of a table.
func CellsOf(texts []string) []any {
	cells := make([]any, len(texts))
	for i, text := range texts {
		cells[i] = text
	}
	return cells
}

// Line is one item of a list with its details.
type Line struct {
	Text string   `json:"text"`
	More []string `json:"more,omitempty"`
	// Link is the path of a file about the item, relative to the run's folder.
	Link string `json:"link,omitempty"`
}

// RestText states how much was left out. It is empty if nothing was.
func (p Section) RestText() string {
	if p.Rest == 0 {
		return ""
	}
	return fmt.Sprintf("and %d more", p.Rest)
}

// LinesOf returns one line per item. It formats each as fmt.Print does.
func LinesOf[T any](items ...T) []Line {
	var all []Line
	for _, item := range items {
		all = append(all, Line{Text: fmt.Sprint(item)})
	}
	return all
}

// WriteAll writes a rendered text. An error names the text as what.
func WriteAll(w io.Writer, what string, b *strings.Builder) error {
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing %s: %w", what, err)
	}
	return nil
}

// Report is what several runs, or two kubelets, show together, in words. All renderers for people take it.
type Report struct {
	Title string
	// Size is how much was compared, and ExitCode the exit code in words. Both can be empty.
	Size, ExitCode string
	Sections       []Section
}

// mostRows is the number of rows and lines that a section has at most. The JSON has all.
const mostRows = 40

// Shown returns the sections that have rows, lines or a block, with 40 rows and lines at most.
func Shown(all ...Section) []Section {
	var some []Section
	for _, p := range all {
		if len(p.Rows)+len(p.Lines)+len(p.Block.Text) > 0 {
			some = append(some, p.Cut(mostRows))
		}
	}
	return some
}

// JSON writes what a report is about with all its numbers, for programs.
func JSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("writing the series as JSON: %w", err)
	}
	return nil
}
