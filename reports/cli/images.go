package cli

import (
	"context"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/images"
	"github.com/podclock/podclock/reports/cli/shell"
)

func imagesCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "images",
		Short: "bring victim and recorder to the nodes of an external cluster",
		Long: "Bring the images of victim and recorder to the nodes of a cluster that podclock did not make: through " +
			"a registry, or as an archive. They are in a release, or compiled with Go; no container engine is " +
			"needed. References and digests change only with podclock's source and the Go tool. With --podclock, its " +
			"own image comes with them, for podclock in-cluster.",
		Example: `  podclock images push registry.example/podclock
  podclock run --on=external --images=registry.example/podclock`,
	}
	command.AddCommand(imagesPush(), imagesList(), imagesSave())
	return command
}

func imagesPush() *cobra.Command {
	insecure, podclock := false, false
	command := &cobra.Command{
		Use:   "push REGISTRY/PATH",
		Short: "write the images to a registry, and print their references",
		Long: "Write an image index for linux/amd64 and linux/arm64 of each image to a registry, and print their " +
			"references with digests. Credentials are those of docker login or podman login.",
		Example: "  podclock images push registry.example/podclock",
		Args:    shell.Arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return withSet(c, args[0], podclock, func(ctx context.Context, set *images.Set) error {
				return set.Push(ctx, args[0], insecure)
			})
		},
	}
	command.Flags().BoolVar(&insecure, "insecure", false,
		"allow plain HTTP and certificates that nobody trusts; nodes must allow that as well")
	withPodclock(command, &podclock)
	return command
}

func withPodclock(command *cobra.Command, podclock *bool) {
	command.Flags().BoolVar(podclock, "podclock", false, "podclock's own image as well, for podclock in-cluster")
}

func imagesList() *cobra.Command {
	podclock := false
	command := &cobra.Command{
		Use:     "list REGISTRY/PATH",
		Short:   "print the references that nodes pull from a registry, to mirror them",
		Args:    shell.Arguments(1, 1),
		Example: "  podclock images list registry.example/podclock",
		RunE: func(c *cobra.Command, args []string) error {
			return withSet(c, args[0], podclock, func(context.Context, *images.Set) error { return nil })
		},
	}
	withPodclock(command, &podclock)
	return command
}

// withSet builds the images, does something with them, and prints their references.
func withSet(c *cobra.Command, place string, podclock bool, do func(context.Context, *images.Set) error) error {
	if err := images.ValidPlace(place); err != nil {
		return fmt.Errorf("%q: %w", place, err)
	}
	ctx, stop := shell.Interruptible(c)
	defer stop()
	set, err := images.BuildSet(ctx, podclock)
	if err != nil {
		return err
	}
	if err := do(ctx, set); err != nil {
		return err
	}
	return printLines(c, set.Refs(place))
}

func imagesSave() *cobra.Command {
	platform, podclock := "", false
	command := &cobra.Command{
		Use:   "save FILE",
		Short: "write the images of one platform to an archive, for nodes without a registry",
		Long: "Write the images of one platform to a docker-archive, and print their names. These commands take it: " +
			"ctr -n k8s.io images import FILE, kind load image-archive FILE, docker load -i FILE. A run without " +
			"--images expects these images on the nodes.",
		Example: "  podclock images save podclock.tar --platform=linux/arm64",
		Args:    shell.Arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			ctx, stop := shell.Interruptible(c)
			defer stop()
			names, err := images.Save(ctx, args[0], platform, podclock)
			if err != nil {
				return err
			}
			return printLines(c, names)
		},
	}
	command.Flags().StringVar(&platform, "platform", "linux/"+runtime.GOARCH, "the nodes' platform")
	withPodclock(command, &podclock)
	return command
}

func printLines(c *cobra.Command, lines []string) error {
	for _, line := range lines {
		if _, err := fmt.Fprintln(c.OutOrStdout(), line); err != nil {
			return fmt.Errorf("write %s: %w", line, err)
		}
	}
	return nil
}
