package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/podclock/podclock/reports/cli"
	"github.com/podclock/podclock/suites"
)

// The folders of every archive.
const (
	manual      = "man"
	completions = "completions"
)

// kubectlCompletes is what kubectl calls to complete the words after kubectl podclock. It must be in PATH.
const kubectlCompletes = "#!/bin/sh\nexec kubectl podclock __complete \"$@\"\n"

// describe writes man pages and completions.
func (r *files) describe(context.Context) error {
	root := cli.Program(suites.Catalogue)
	root.DisableAutoGenTag = true
	pages := r.path(manual)
	if err := os.MkdirAll(pages, 0o755); err != nil {
		return fmt.Errorf("making the folder of man pages: %w", err)
	}
	header := &doc.GenManHeader{
		Section: "1", Manual: "podclock", Source: "podclock " + r.program.Version, Date: &r.program.at,
	}
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	unwrap(root)
	if err := doc.GenManTree(root, header, pages); err != nil {
		return fmt.Errorf("writing the man pages: %w", err)
	}
	return r.complete(root)
}

// wrapped matches the end of a line that help wrapped. Lines of a table begin with a space.
var wrapped = regexp.MustCompile(`([^\n ]) *\n(\S)`)

// unwrap leaves the width of paragraphs to the program that shows a man page.
func unwrap(c *cobra.Command) {
	c.Long = wrapped.ReplaceAllString(c.Long, "$1 $2")
	for _, inner := range c.Commands() {
		unwrap(inner)
	}
}

func (r *files) complete(root *cobra.Command) error {
	folder := r.path(completions)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("making the folder of completions: %w", err)
	}
	for name, write := range map[string]func(file string) error{
		"podclock.bash": func(file string) error { return root.GenBashCompletionFileV2(file, true) },
		"_podclock":     root.GenZshCompletionFile,
		"podclock.fish": func(file string) error { return root.GenFishCompletionFile(file, true) },
		"podclock.ps1":  root.GenPowerShellCompletionFileWithDesc,
		"kubectl_complete-podclock": func(file string) error {
			return os.WriteFile(file, []byte(kubectlCompletes), 0o755)
		},
	} {
		if err := write(filepath.Join(folder, name)); err != nil {
			return fmt.Errorf("writing the completion %s: %w", name, err)
		}
	}
	return nil
}
