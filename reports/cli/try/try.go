// Package try is the command that says what a source tree of Kubernetes changes of how pods die.
package try

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/host/option"
	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/tree"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/reports/cli/diff"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/render/trend"
	"github.com/podclock/podclock/reports/view/difference"
)

// What --fail-on accepts.
const (
	failChanged  = "changed"
	failVerdict  = "verdict"
	failDeviates = "deviates"
)

// skip is the exit code by which git bisect skips a commit.
const skip = 125

type options struct {
	config  session.Config
	against string
	bisect  bool
	seeds   int
	failOn  *string
	output  *string
}

// Needs are what the command takes from the program.
type Needs struct {
	Catalogue func() []trial.Trial
	// Selection adds the flags that select trials, Program returns what a session needs.
	Selection func(*cobra.Command, *session.Config)
	Program   func(*cobra.Command) session.Program
}

// Command returns the command.
func Command(n Needs) *cobra.Command {
	o := options{config: session.Config{Lane: run.VirtualLane}}
	command := &cobra.Command{
		Use:   "try TREE [flags]",
		Short: "say what a source tree of Kubernetes changes of how pods are killed and restarted",
		Long: "Rehearse a source tree of Kubernetes and its base under virtual time, judge the tree, and print what " +
			"changed. TREE is a checkout with its uncommitted changes, or TREE@REVISION, or a release. The base is " +
			"the newest release that the tree's commit contains, or what --against names.\n\nThe exit code is 0 if " +
			"nothing changed, 1 if the tree deviates, 2 if that is unknown, and 3 if something changed and conforms.",
		Example: `  podclock try ./kubernetes                            what did my change do
  podclock try ./kubernetes --against=HEAD             only the uncommitted changes
  podclock try ./kubernetes --focus=probes/            an area
  git bisect run podclock try . --against=v1.36.3 --bisect`,
		Args: shell.Arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			code, err := o.run(c, n, args[0])
			if o.bisect && (err != nil || code == run.ExitUnjudged) {
				if err != nil {
					_, _ = fmt.Fprintln(c.ErrOrStderr(), "podclock:", err)
				}
				return shell.Ended(nil, skip)
			}
			return shell.Ended(err, code)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	set := command.Flags()
	set.StringVar(&o.against, "against", "",
		"the base: a version, a revision of the tree's repository, or another tree (default the newest release in it)")
	o.config.AddVirtualFlags(set)
	set.BoolVar(&o.bisect, "bisect", false,
		fmt.Sprintf("end with %d instead of 2, so that git bisect skips the commit", skip))
	n.Selection(command, &o.config)
	o.failOn = shell.Choose(command, "fail-on", "", failChanged,
		"what ends with an exit code other than 0: any change, only another verdict, or only a deviation",
		failChanged, failVerdict, failDeviates)
	o.output = shell.Output(command, shell.Markdown, shell.HTML)
	shell.CompleteFolders(command, "out")
	return command
}

// run returns the exit code of the answer.
func (o options) run(c *cobra.Command, n Needs, name string) (int, error) {
	subjects, err := kubelets.ParseSubjects(run.VirtualLane, name)
	if err != nil {
		return 0, err
	}
	subject := subjects[0]
	if len(subjects) > 1 || !subject.FromTree() && o.against == "" {
		const format = "%q is no source tree: write the root of a checkout of kubernetes/kubernetes, or a release " +
			"with --against"
		return 0, fmt.Errorf(format, name)
	}
	base, err := o.base(subject)
	if err != nil {
		return 0, err
	}
	o.config.Subjects = base + "," + name
	r, dir, err := o.play(c, n)
	if err != nil {
		return 0, err
	}
	a, err := answer(r, dir, r.Subjects[0].Name, r.Subjects[1].Name)
	if err == nil {
		err = shell.WriteReport(c.OutOrStdout(), *o.output, a, trend.Tree)
	}
	return o.code(a), err
}

func (o options) code(a difference.Answer) int {
	harmless := *o.failOn == failDeviates || *o.failOn == failVerdict && a.Verdicts() == 0
	if harmless && a.ExitCode() == run.ExitChanged {
		return run.ExitConforms
	}
	return a.ExitCode()
}

// play plays the selected trials on all subjects, and returns the run and its folder.
func (o options) play(c *cobra.Command, n Needs) (r run.Run, dir string, err error) {
	config, err := o.config.Resolve()
	if err != nil {
		return r, "", option.AsGiven(c.Flags(), err)
	}
	selected, choice, err := config.Select(n.Catalogue())
	if err != nil {
		return r, "", option.AsGiven(c.Flags(), err)
	}
	choice.Tell(c.ErrOrStderr())
	s, err := session.New(config, selected, n.Program(c))
	if err != nil {
		return r, "", err
	}
	ctx, stop := shell.Interruptible(c)
	defer stop()
	r, interrupted, err := s.Play(ctx, session.SettingUp, nil)
	return r, s.Dir(), cmp.Or(interrupted, err) // an unfinished run has no answer
}

func answer(r run.Run, dir, base, name string) (difference.Answer, error) {
	before, err := diff.Side(dir, base)
	if err != nil {
		return difference.Answer{}, err
	}
	after, err := diff.Side(dir, name)
	if err != nil {
		return difference.Answer{}, err
	}
	before.Values, after.Values = nil, nil // one seed has no distribution
	return difference.Of(r, before, after), nil
}

// base returns the subject that the tree is compared with. Without git, it is the release of the tree's version, or the
// nearest one.
func (o options) base(s kubelets.Subject) (string, error) {
	t := s.Tree
	against := o.against
	if against == "" {
		tag, found, err := t.Base()
		switch {
		case err != nil:
			return "", err
		case found:
			against = tag
		case isSubject(s.Version):
			return s.Version, nil
		default:
			return s.Nearest()[0], nil
		}
	}
	if isSubject(against) || !s.FromTree() {
		return against, nil
	}
	if _, _, isTree := tree.Cut(against); isTree && strings.ContainsAny(against, "./") {
		return against, nil
	}
	return t.Path + "@" + against, nil
}

func isSubject(name string) bool {
	_, err := kubelets.ParseSubjects(run.VirtualLane, name)
	return err == nil
}
