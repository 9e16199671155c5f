// Package shell is what every command has towards the shell that calls it: flags that are one of some words, their
// completion, the formats of results, and exit codes. It knows no command.
package shell

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/podclock/podclock/harness/host/option"
	"github.com/podclock/podclock/harness/host/screen"
	"github.com/podclock/podclock/reports/render/markdown"
	"github.com/podclock/podclock/reports/render/terminal"
	"github.com/podclock/podclock/reports/view"
)

// Choose adds a flag that is one of some words, and returns its value. Its default may be empty.
func Choose(command *cobra.Command, flag, shorthand, usual, usage string, among ...string) *string {
	command.Flags().VarP(option.OneOf(&usual, among...), flag, shorthand, usage)
	CompleteWords(command, flag, among...)
	return &usual
}

// The formats of results that several commands have.
const (
	Text     = "text"
	JSON     = "json"
	YAML     = "yaml"
	Markdown = "markdown"
	HTML     = "html"
)

// Output adds the flag that chooses text, JSON, YAML or one more format, and returns its value.
func Output(command *cobra.Command, more ...string) *string {
	return Choose(command, "output", "o", Text, "the format of the output",
		append([]string{Text, JSON, YAML}, more...)...)
}

// Write writes a value as JSON or YAML.
func Write(w io.Writer, format string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("encode it: %w", err)
	}
	data = append(data, '\n')
	if format == YAML {
		if data, err = yaml.JSONToYAML(data); err != nil {
			return fmt.Errorf("encode it as YAML: %w", err)
		}
	}
	if _, err = w.Write(data); err != nil {
		return fmt.Errorf("write it: %w", err)
	}
	return nil
}

// WriteLine writes JSON in one line, because indentation would add a third to large documents.
func WriteLine(w io.Writer, format string, value any) error {
	if format != JSON {
		return Write(w, format, value)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return fmt.Errorf("write it: %w", err)
	}
	return nil
}

// WriteReport writes what a value's report says as text or Markdown, as a page, or the value as JSON or YAML.
func WriteReport[V interface{ Report() view.Report }](
	w io.Writer, format string, v V, page func(io.Writer, V) error,
) error {
	switch format {
	case Text:
		return terminal.Report(w, v.Report(), ScreenOf(w))
	case Markdown:
		return markdown.Report(w, v.Report())
	case HTML:
		return page(w, v)
	}
	return Write(w, format, v)
}

// Sides returns the subjects that --subjects names for each of two sides, empty for all. A side is a run, or both are
// of one run.
func Sides(subjects, runs []string) (before, after string, err error) {
	switch {
	case len(subjects) > 2:
		return "", "", fmt.Errorf("--subjects=%s: two subjects can be compared, BEFORE,AFTER",
			strings.Join(subjects, ","))
	case len(subjects) > 0:
		before, after = subjects[0], subjects[len(subjects)-1]
	}
	if len(runs) == 1 && before == after {
		return "", "", errors.New("nothing to compare with: name another run, or --subjects=BEFORE,AFTER")
	}
	return before, after, nil
}

// usualColumns are those of a text that no screen shows.
const usualColumns = 80

// Show writes a value as JSON or YAML, or as a text that fits the screen's columns.
func Show(w io.Writer, format string, value any, text func(columns int) string) error {
	if format != Text {
		return Write(w, format, value)
	}
	_, err := io.WriteString(w, text(ScreenOf(w).ColumnsOr(usualColumns)))
	return err
}

// ScreenOf returns the screen that shows what is written, or one without columns.
func ScreenOf(w io.Writer) screen.Screen {
	if f, ok := w.(*os.File); ok {
		return screen.Of(f)
	}
	return screen.Screen{}
}

// NameInExamples calls the program as its user does in the examples of a command and those below it.
func NameInExamples(c *cobra.Command, name string) {
	if name == "" {
		return
	}
	c.Example = strings.ReplaceAll(c.Example, "podclock ", name+" ")
	for _, below := range c.Commands() {
		NameInExamples(below, name)
	}
}
