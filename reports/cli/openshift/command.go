package openshift

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/podclock/podclock/harness/host/option"
	"github.com/podclock/podclock/harness/host/screen"
	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/cli/shell"
)

// Needs are what the command takes from the program.
type Needs struct {
	Catalogue func() []trial.Trial
	// Play binds the flags that say where the trials are played. The function plays the trials of a profile that focus
	// selects, prints nothing but progress, and writes the JUnit report to a file if that has a name.
	Play func(*cobra.Command) func(c *cobra.Command, p trial.Profile, focus, junit string) (runs.Run, error)
	// Images returns the references of the images in a place.
	Images func(ctx context.Context, place string) ([]string, error)
}

// Named reports whether a program is called as an extension of openshift-tests: its file's name ends with -tests-ext.
func Named(program string) bool {
	return strings.HasSuffix(strings.TrimSuffix(filepath.Base(program), ".exe"), "-tests-ext")
}

// Use is the command's name.
const Use = "openshift"

// The formats of the extension's output.
const (
	asJSON  = "json"
	asJSONL = "jsonl"
	asNames = "names"
)

// Command returns the command with those that openshift-tests calls.
func Command(n Needs) *cobra.Command {
	command := &cobra.Command{
		Use:   Use,
		Short: "offer the trials to openshift-tests, as an OpenShift Tests Extension",
		Long: "The commands that openshift-tests calls of its extensions (API " + apiVersion + "). Each trial that a " +
			"real node can play is a test. The program offers them without the word openshift if the name of its " +
			"file ends with -tests-ext, such as podclock-tests-ext: a link is enough.\n\nThe trials are played on " +
			"the cluster of KUBECONFIG. With LANE=virtual they are played under virtual time, without a cluster.",
		Example: `  podclock openshift list -o names
  podclock openshift run-suite podclock/quick -o jsonl`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q: %s --help lists those of an extension", args[0], c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	command.AddCommand(n.info(), n.list(), n.imagesOf(), n.runSuite(), n.runTest())
	return command
}

// offer makes a command refuse components that the program does not have.
func offer(c *cobra.Command) *cobra.Command {
	name := c.Flags().String("component", "default", "the component, of which there is one")
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if *name != "default" && *name != kubelet.String() {
			return fmt.Errorf("--component=%s: there is only %s", *name, kubelet)
		}
		return run(c, args)
	}
	return c
}

func (n Needs) info() *cobra.Command {
	place := ""
	c := &cobra.Command{
		Use: "info", Short: "print what the extension is, with its suites and images", Args: shell.Arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			all, err := n.images(c.Context(), place)
			if err != nil {
				return err
			}
			return shell.Write(c.OutOrStdout(), shell.JSON, describe(all))
		},
	}
	placed(c.Flags(), &place)
	return offer(c)
}

// placed adds the flag of podclock run that names the images' place.
func placed(set *pflag.FlagSet, place *string) {
	set.StringVar(place, "images", "",
		"where nodes pull podclock's images from, or their references, separated by commas (default: each node has "+
			"them)")
	option.Variables(set, "images")
}

// images returns what nodes pull from a place, nothing if they have the images already.
func (n Needs) images(ctx context.Context, place string) ([]image, error) {
	all := []image{}
	if place == "" {
		return all, nil
	}
	refs, err := n.Images(ctx, place)
	for i, ref := range refs {
		ref, _, _ = strings.Cut(ref, "@")
		colon, slash := strings.LastIndex(ref, ":"), strings.LastIndex(ref, "/")
		if slash < 0 || colon < slash {
			return nil, fmt.Errorf("image %s: it has no registry or no tag: `podclock images list` prints them", ref)
		}
		all = append(all, image{Index: i, Registry: ref[:slash], Name: ref[slash+1 : colon], Version: ref[colon+1:]})
	}
	return all, err
}

func (n Needs) imagesOf() *cobra.Command {
	place := ""
	c := &cobra.Command{
		Use: "images", Short: "print the images that the tests need, to mirror them", Args: shell.Arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			all, err := n.images(c.Context(), place)
			if err != nil {
				return err
			}
			return shell.WriteLine(c.OutOrStdout(), shell.JSON, all)
		},
	}
	placed(c.Flags(), &place)
	return offer(c)
}

func (n Needs) list() *cobra.Command {
	test, suiteName := func(s spec) string { return s.Name }, func(s suite) string { return s.Name }
	all := listing("list", "list the tests, suites or components", n.ofSuite, test)
	all.AddCommand(
		listing("tests", "list the tests", n.ofSuite, test),
		listing("suites", "list the suites", func(string) ([]suite, error) { return suites(), nil }, suiteName),
		listing("components", "list the components",
			func(string) ([]component, error) { return []component{kubelet}, nil },
			func(c component) string { return c.Name }),
	)
	return all
}

// listing returns a command that lists things of the extension, of a suite if one is named.
func listing[T any](use, short string, of func(suite string) ([]T, error), name func(T) string) *cobra.Command {
	suite := ""
	c := &cobra.Command{Use: use, Short: short, Args: shell.Arguments(0, 0)}
	output := shell.Choose(c, "output", "o", asJSON, "the format of the output", asJSON, asJSONL, asNames)
	c.Flags().StringVar(&suite, "suite", "", "only the tests of this suite")
	environment(c.Flags())
	c.RunE = func(c *cobra.Command, _ []string) error {
		all, err := of(suite)
		switch {
		case err != nil:
			return err
		case *output == asJSON:
			return shell.Write(c.OutOrStdout(), shell.JSON, all)
		}
		for _, one := range all {
			if *output == asNames {
				_, err = fmt.Fprintln(c.OutOrStdout(), name(one))
			} else {
				err = shell.WriteLine(c.OutOrStdout(), shell.JSON, one)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	return offer(c)
}

// environment adds the flags by which openshift-tests describes a cluster (flags.EnvironmentalFlags). They leave out no
// test: a run finds out what its cluster does not support.
func environment(set *pflag.FlagSet) {
	for _, name := range []string{
		"architecture", "external-connectivity", "network", "network-stack", "platform", "topology", "upgrade",
		"version",
	} {
		set.String(name, "", "a fact about the cluster, which leaves out no test")
	}
	for _, name := range []string{"api-group", "fact", "feature-gate", "optional-capability"} {
		set.StringArray(name, nil, "facts about the cluster, which leave out no test")
	}
}

// ofSuite returns the tests of a suite, all without its name.
func (n Needs) ofSuite(name string) ([]spec, error) {
	all := specs(n.Catalogue())
	if name == "" {
		return all, nil
	}
	s, err := suiteOf(name)
	return slices.DeleteFunc(all, func(t spec) bool { return !s.profile.Holds(t.trial) }), err
}

func suiteOf(name string) (suite, error) {
	var names []string
	for _, s := range suites() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return suite{}, fmt.Errorf("no suite %q: there are %s", name, strings.Join(names, " and "))
}

// running is what run-suite and run-test have in common.
type running struct {
	play   func(c *cobra.Command, p trial.Profile, focus, junit string) (runs.Run, error)
	output *string
	junit  string
}

func (n Needs) running(c *cobra.Command) *running {
	r := &running{play: n.Play(c)}
	r.output = shell.Choose(c, "output", "o", asJSON, "the format of the results", asJSON, asJSONL)
	c.Flags().IntP("max-concurrency", "c", 0, "ignored: podclock starts as many tests as the nodes have room for")
	return r
}

func (n Needs) runSuite() *cobra.Command {
	c := &cobra.Command{
		Use: "run-suite NAME", Short: "run the tests of a suite at the same time, and print their results",
		Args: shell.Arguments(1, 1),
	}
	r := n.running(c)
	c.Flags().StringVarP(&r.junit, "junit-path", "j", "", "write podclock's JUnit report to this file as well")
	c.RunE = func(c *cobra.Command, args []string) error {
		s, err := suiteOf(args[0])
		if err != nil {
			return err
		}
		tests, err := n.ofSuite(s.Name)
		if err != nil {
			return err
		}
		return r.run(c, s.profile, "", tests)
	}
	return offer(c)
}

func (n Needs) runTest() *cobra.Command {
	var names []string
	c := &cobra.Command{
		Use:   "run-test [-n NAME]... [NAME]",
		Short: "run tests by their names at the same time, and print their results",
		Long: "Run tests by their names at the same time, and print their results. Without a name, the names are the " +
			"lines of standard input.",
		Args: shell.Arguments(0, 1),
	}
	r := n.running(c)
	c.Flags().StringArrayVarP(&names, "names", "n", nil, "the name of a test")
	c.RunE = func(c *cobra.Command, args []string) error {
		tests, err := n.named(append(names, args...), c.InOrStdin())
		if err != nil {
			return err
		}
		var ids []string
		for _, t := range tests {
			ids = append(ids, regexp.QuoteMeta(t.trial.ID))
		}
		return r.run(c, trial.Full, " ("+strings.Join(ids, "|")+")$", tests)
	}
	return offer(c)
}

// named returns the tests with these names, or those of the lines of in.
func (n Needs) named(names []string, in io.Reader) (tests []spec, err error) {
	terminal, is := in.(*os.File)
	if len(names) == 0 && !(is && screen.Of(terminal).Terminal) {
		lines := bufio.NewScanner(in)
		for lines.Scan() {
			names = append(names, lines.Text())
		}
		if err := lines.Err(); err != nil {
			return nil, fmt.Errorf("read the names of tests from standard input: %w", err)
		}
	}
	if len(names) == 0 {
		return nil, errors.New("no test is named: give --names; `podclock openshift list -o names` lists them")
	}
	all := specs(n.Catalogue())
	for _, name := range names {
		i := slices.IndexFunc(all, func(t spec) bool { return t.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("no test %q: `podclock openshift list -o names` lists them", name)
		}
		if !slices.ContainsFunc(tests, func(t spec) bool { return t.Name == name }) {
			tests = append(tests, all[i])
		}
	}
	return tests, nil
}

// run plays the tests and prints a result of each. The exit code is 1 if a test failed.
func (r *running) run(c *cobra.Command, p trial.Profile, focus string, tests []spec) error {
	played, err := r.play(c, p, focus, r.junit)
	if played.ID == "" {
		return err
	}
	all := results(played, tests)
	if *r.output == asJSON {
		err = errors.Join(err, shell.Write(c.OutOrStdout(), shell.JSON, all))
	}
	code := runs.ExitConforms
	for _, one := range all {
		if *r.output == asJSONL {
			err = errors.Join(err, shell.WriteLine(c.OutOrStdout(), shell.JSON, one))
		}
		if one.Result == failed {
			code = runs.ExitDeviates
		}
	}
	return shell.Ended(err, code)
}
