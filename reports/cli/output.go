package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/podclock/podclock/harness/session/option"
	"github.com/podclock/podclock/reports/terminal"
)

type choice struct{ value string }

// choose adds a flag that is one of some words. Its default may be empty.
func choose(command *cobra.Command, flag, shorthand, usual, usage string, among ...string) *choice {
	c := &choice{value: usual}
	command.Flags().VarP(option.OneOf(&c.value, among...), flag, shorthand, usage)
	completeWords(command, flag, among...)
	return c
}

const (
	asText     = "text"
	asJSON     = "json"
	asYAML     = "yaml"
	asMarkdown = "markdown"
	asHTML     = "html"
)

func output(command *cobra.Command, more ...string) *choice {
	return choose(
		command,
		"output",
		"o",
		asText,
		"the format of the output",
		append([]string{asText, asJSON, asYAML}, more...)...)
}

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

// writeLine writes JSON in one line, because indentation would add a third to large documents.
func writeLine(w io.Writer, format string, value any) error {
	if format != asJSON {
		return write(w, format, value)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return fmt.Errorf("write it: %w", err)
	}
	return nil
}

func screenOf(w io.Writer) terminal.Screen {
	if f, ok := w.(*os.File); ok {
		return terminal.ScreenOf(f)
	}
	return terminal.Screen{}
}
