package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/kubelet"
)

// build makes what a run would make of its subjects before it begins, and what a test would wait for without a word. What it does goes to log, the
// binaries' paths to out.
func build(out, log io.Writer) *cobra.Command {
	return &cobra.Command{
		Use: "build SUBJECT...", Short: "build the kubelets and virtual nodes of subjects, spelled as in SUBJECTS, and print their paths", Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			subjects, err := kubelet.ParseSubjects(strings.Join(args, ","))
			if err != nil {
				return err
			}
			for _, s := range subjects {
				binary, err := kubelet.Build(c.Context(), s, kubelet.Options{Log: log})
				if err != nil {
					return err
				}
				if _, err := fmt.Fprintln(out, binary.Path); err != nil {
					return fmt.Errorf("write the path of %s: %w", s, err)
				}
			}
			return nil
		},
	}
}
