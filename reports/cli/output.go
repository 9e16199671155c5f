package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	runs "github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/session/option"
	"github.com/podclock/podclock/reports/terminal"
)

// choice is the value of a flag that is one of some words.
type choice struct{ value string }

// choose adds a flag that is one of some words, with its completion. Its default may be empty.
func choose(command *cobra.Command, flag, shorthand, usual, usage string, among ...string) *choice {
	c := &choice{value: usual}
	command.Flags().VarP(option.OneOf(&c.value, among...), flag, shorthand, usage)
	completeWords(command, flag, among...)
	return c
}

// The formats of a command's output.
const (
	asText = "text"
	asJSON = "json"
	asYAML = "yaml"
	// Some commands also write Markdown or a page.
	asMarkdown = "markdown"
	asHTML     = "html"
)

// output adds the flag that chooses the format of the output.
func output(command *cobra.Command, more ...string) *choice {
	return choose(
		command,
		"output",
		"o",
		asText,
		"the format of the output",
		append([]string{asText, asJSON, asYAML}, more...)...)
}

// write writes a value as JSON or YAML.
func write(w io.Writer, format string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("encode it: %w", err)
	}
	data = append(data, '\n')
	if format == asYAML {
		if data, err = yaml.JSONToYAML(data); err != nil {
			return fmt.Errorf("encode it as YAML: %w", err)
		}
	}
	if _, err = w.Write(data); err != nil {
		return fmt.Errorf("write it: %w", err)
	}
	return nil
}

// writeFile writes a rendered file and makes its folder. If rendering fails, the file stays as it was.
func writeFile(path string, render func(io.Writer) error) error {
	var text bytes.Buffer
	if err := render(&text); err != nil {
		return err
	}
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = runs.Replace(path, text.Bytes())
	}
	if err != nil {
		return fmt.Errorf("write the report (is the disk full, or the folder read-only?): %w", err)
	}
	return nil
}

// screenOf returns the screen that shows a command's output.
func screenOf(w io.Writer) terminal.Screen {
	if f, ok := w.(*os.File); ok {
		return terminal.ScreenOf(f)
	}
	return terminal.Screen{}
}
