package cli

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/host/engine"
	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/builder"
	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/images/node"
	"github.com/podclock/podclock/reports/cli/shell"
)

func build() *cobra.Command {
	var key bool
	command := &cobra.Command{
		Use:   "build node|SUBJECT...",
		Short: "build the kubelets and virtual nodes of subjects, and print their paths",
		Long: "Build the kubelets and virtual nodes of subjects, spelled as in --subjects, and print their paths. " +
			"The word node builds the nodes' image instead, and prints its name: a host with it needs no compiler. " +
			"With --key, print instead one hash of the sources of the nodes' image and these subjects, for caches.",
		Example: `  podclock build v1.34.4 virtual:v1.36.3
  podclock build virtual:./kubernetes ./kubernetes@HEAD~1
  podclock build --key v1.36.3 v1.35.4 virtual:v1.36.3
  docker save "$(podclock build node)" | ssh other docker load`,
		ValidArgsFunction: shell.CompleteList(subjectWords),
		RunE: func(c *cobra.Command, args []string) error {
			ctx, stop := shell.Interruptible(c)
			defer stop()
			if !key && slices.Equal(args, []string{"node"}) {
				return buildNode(ctx, c)
			}
			asked, err := kubelets.ParseSubjects(runs.NodeLane, strings.Join(args, ","))
			switch {
			case len(args) == 0 && !key:
				return errors.New("no subject to build: name some from podclock subjects, such as virtual:v1.36.3")
			case len(args) > 0 && err != nil:
				return err
			case key:
				return printKey(c, asked)
			}
			return buildAll(ctx, c, asked)
		},
	}
	command.Flags().BoolVar(&key, "key", false, "print the hash of the sources and build nothing")
	return command
}

func buildNode(ctx context.Context, c *cobra.Command) error {
	e, err := engine.Ensure(ctx, c.ErrOrStderr())
	if err != nil {
		return err
	}
	image, err := node.Ensure(ctx, node.Options{
		Request: node.RequestBuild, KubernetesVersion: formula.Versions()[0], Engine: e, Progress: c.ErrOrStderr(),
	})
	if err != nil {
		return err
	}
	return printLines(c, []string{image.Ref})
}

func buildAll(ctx context.Context, c *cobra.Command, asked []kubelets.Subject) error {
	for _, s := range asked {
		binary, err := builder.Build(ctx, s, builder.Options{Log: c.ErrOrStderr()})
		if err != nil {
			return err
		}
		if err := printLines(c, []string{binary.Path}); err != nil {
			return err
		}
	}
	return nil
}

func printKey(c *cobra.Command, asked []kubelets.Subject) error {
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
