package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	runs "github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/reports/terminal"
)

// choice is a flag's value that is one of some words; the empty one is that nothing was chosen.
type choice struct {
	value string
	among []string
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return strings.Join(c.among, "|") }

func (c *choice) Set(s string) error {
	if !slices.Contains(c.among, s) {
		return fmt.Errorf("it is %s", either(c.among))
	}
	c.value = s
	return nil
}

// either lists words as alternatives.
func either(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// choose adds a flag that is one of some words, with its completion. Its default may be empty.
func choose(command *cobra.Command, flag, shorthand, usual, usage string, among ...string) *choice {
	c := &choice{value: usual, among: among}
	command.Flags().VarP(c, flag, shorthand, usage)
	complete(command, flag, cobra.FixedCompletions(among, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// The formats of what a command says.
const (
	asText = "text"
	asJSON = "json"
	asYAML = "yaml"
)

// output adds the flag that chooses how a command says what it says.
func output(command *cobra.Command, more ...string) *choice {
	return choose(
		command,
		"output",
		"o",
		asText,
		"how to write it",
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

// writeFile writes what is rendered to a file, whose folder is made. What can't be rendered leaves the file as it was.
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

// screenOf is what a command's output is read on.
func screenOf(w io.Writer) terminal.Screen {
	if f, ok := w.(*os.File); ok {
		return terminal.ScreenOf(f)
	}
	return terminal.Screen{}
}
