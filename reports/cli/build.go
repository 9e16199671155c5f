package cli

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/kubelet/builder"
	"github.com/podclock/podclock/images/node"
)

func build() *cobra.Command {
	var key bool
	command := &cobra.Command{
		Use:   "build SUBJECT...",
		Short: "build the kubelets and virtual nodes of subjects, and print their paths",
		Long: "Build the kubelets and virtual nodes of subjects, spelled as in --subjects, and print their paths. " +
			"With --key, print instead one hash of the sources of the nodes' image and these subjects, for caches.",
		Example: `  podclock build v1.34.4 virtual:v1.36.3
  podclock build --key v1.36.3 v1.35.4 virtual:v1.36.3`,
		ValidArgsFunction: completeList(subjectWords),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 && !key {
				return errors.New("no subject to build: name some from podclock subjects, such as virtual:v1.36.3")
			}
			var asked []kubelet.Subject
			if len(args) > 0 {
				var err error
				if asked, err = kubelet.ParseSubjects(strings.Join(args, ",")); err != nil {
					return err
				}
			}
			if key {
				return printKey(c, asked)
			}
			ctx, stop := interruptible(c)
			defer stop()
			return buildAll(ctx, c, asked)
		},
	}
	command.Flags().BoolVar(&key, "key", false, "print the hash of the sources and build nothing")
	return command
}

func buildAll(ctx context.Context, c *cobra.Command, asked []kubelet.Subject) error {
	for _, s := range asked {
		binary, err := builder.Build(ctx, s, builder.Options{Log: c.ErrOrStderr()})
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(c.OutOrStdout(), binary.Path); err != nil {
			return fmt.Errorf("write the path of %s: %w", s, err)
		}
	}
	return nil
}

func printKey(c *cobra.Command, asked []kubelet.Subject) error {
	hash := sha256.New()
	image, err := node.Key(c.Context())
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(hash, "node image %s\n", image)
	for _, s := range asked {
		key, err := builder.Key(c.Context(), s, builder.Options{})
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(hash, "%s %s\n", s, key)
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "%x\n", hash.Sum(nil))
	return err
}
