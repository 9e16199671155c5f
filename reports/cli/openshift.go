package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/host/option"
	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/images"
	"github.com/podclock/podclock/reports/cli/openshift"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/render/folder"
	"github.com/podclock/podclock/reports/render/junit"
	"github.com/podclock/podclock/reports/view"
)

func (a App) openshift() *cobra.Command {
	return openshift.Command(openshift.Needs{Catalogue: a.Catalogue, Play: a.playTests, Images: refsIn})
}

// refsIn returns the references of the images in a place, or those that are given instead of one.
func refsIn(ctx context.Context, place string) (all []string, err error) {
	refs, err := images.ParseRefs(place)
	if err == nil && refs == nil {
		err = images.ValidPlace(place)
	}
	if err != nil {
		return nil, option.Invalid("images", place, "%w", err)
	}
	if refs == nil {
		set, err := images.BuildSet(ctx, false)
		if err != nil {
			return nil, err
		}
		return set.Refs(place), nil
	}
	return slices.Sorted(maps.Values(refs)), nil
}

// whereTests are the flags of podclock run that say where tests are played. Their variables are what openshift-tests
// passes on.
var whereTests = []string{
	"lane", "subjects", "seed", "out", "kubeconfig", "context", "nodes", "node-selector", "sample", "per", "allow",
	"images", "pull-secret",
}

// artifacts is the variable by which openshift-tests names the folder for what a test leaves.
const artifacts = "EXTENSION_ARTIFACT_DIR"

// playTests plays without Ginkgo, whose output would be among the results.
func (a App) playTests(
	command *cobra.Command,
) func(*cobra.Command, trial.Profile, string, string) (runs.Run, error) {
	o := runOptions{App: a}
	all := &cobra.Command{}
	a.sessionFlags(all, &o.config)
	o.external.flags(all, &o.config)
	for _, name := range whereTests {
		command.Flags().AddFlag(all.Flags().Lookup(name))
	}
	command.Flags().DurationVar(&o.timeout, "timeout", 0,
		"end the run after this time: tests without a verdict fail (default: only the bounds of the trials)")
	return func(c *cobra.Command, p trial.Profile, focus, report string) (runs.Run, error) {
		o.config.Profile, o.config.Focus, o.junit = p, focus, report
		o.external.yes = true // openshift-tests can't be asked
		if o.config.Lane != runs.VirtualLane {
			o.external.on = session.OnExternal
		}
		if folder := os.Getenv(artifacts); folder != "" && o.config.Out == "" {
			o.config.Out = folder
		}
		r, err := o.playSelected(c)
		return r, option.AsGiven(c.Flags(), err)
	}
}

// playSelected plays what the options select as one run without Ginkgo. The run has no ID if none began.
func (o *runOptions) playSelected(c *cobra.Command) (r runs.Run, err error) {
	if err := o.check(); err != nil {
		return r, err
	}
	if err := o.external.find(c.Context(), &o.config); err != nil {
		return r, err
	}
	config, err := o.config.Resolve()
	if err != nil {
		return r, err
	}
	selected, _, err := config.Select(o.Catalogue())
	if err != nil {
		return r, err
	}
	if n := len(config.SubjectNames()); config.External != nil && n > o.external.atOnce {
		return r, fmt.Errorf("%d nodes are more than the %d of one run: name fewer with --nodes or --sample, or play "+
			"the fleet with podclock run", n, o.external.atOnce)
	}
	if err := config.Check(c.Context()); err != nil {
		return r, err
	}
	if err := o.external.agree(c, config, selected); err != nil {
		return r, err
	}
	s, err := session.New(config, selected, programOf(c, false, folder.Writer(o.Catalogue)))
	if err != nil {
		return r, err
	}
	ctx, stop := shell.Interruptible(c)
	defer stop()
	if o.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.timeout, fmt.Errorf("the run took longer than %v", o.timeout))
		defer cancel()
	}
	r, interrupted, err := s.Play(ctx, session.SettingUp, nil)
	err = errors.Join(interrupted, err)
	if o.junit != "" {
		err = errors.Join(err, folder.WriteFile(o.junit, func(w io.Writer) error {
			return junit.Run(w, view.OverviewOf(r, nil))
		}))
	}
	return r, err
}
