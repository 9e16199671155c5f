package mutants

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/podclock/podclock/harness/host/option"
	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/session"
)

// Both is the value of --lane for the virtual lane, then the node lane.
const Both = "both"

// Request has the flags of a mutation test. An empty field is its default.
type Request struct {
	// Mutants are names of mutations, separated by commas, or a regular expression. Default: all.
	Mutants string
	Lane    run.Lane
	Profile trial.Profile
	Version string
	Out     string
	AtLeast float64
	// Record is the folder of a record, Unmet leaves out the mutants that have a verdict in it.
	Record  string
	Unmet   bool
	Within  time.Duration
	Cluster session.Config
}

// AddFlags adds a flag and its environment variable for each field.
func (r *Request) AddFlags(set *pflag.FlagSet) {
	set.StringVar(&r.Mutants, "mutants", "",
		"names of mutations, separated by commas, or a regular expression (default all)")
	set.Var(option.OneOf(&r.Lane, run.VirtualLane, run.NodeLane, Both), "lane",
		"the lanes in which mutants are put under test (default virtual)")
	set.Var(option.OneOf(&r.Profile, trial.Quick, trial.Full), "profile",
		"the trials of the virtual lane, from which those of the node lane are chosen (default full)")
	set.StringVar(&r.Version, "version", "", "the Kubernetes version to mutate (default the newest)")
	set.StringVar(&r.Out, "out", "out", "the folder of mutation tests, relative to the project's root")
	set.Float64Var(&r.AtLeast, "at-least", 95, "the score in percent below which the exit code is 1")
	set.DurationVar(&r.Within, "within", 0,
		"the longest duration of the node lane, such as 75m: short mutants come first; those without time "+
			"left are listed (default no bound)")
	set.StringVar(&r.Record, "record", "",
		"the folder of the last verdicts of all mutants: this run adds its own, and --lane=node takes the trials "+
			"that killed a mutant in the virtual lane, which plays them first (default no record, and the trials "+
			"of each mutant's formula)")
	set.BoolVar(&r.Unmet, "unmet", false, "leave out the mutants that have a verdict in the record")
	option.Variables(set, "mutants", "lane", "profile", "version", "out", "at-least", "within",
		"record", "unmet")
	r.Cluster.AddClusterFlags(set)
}

// Options checks everything that needs no build and no boot. The error is one line with the flag and the remedy.
func (r Request) Options(catalogue []trial.Trial) (Options, error) {
	o := Options{AtLeast: r.AtLeast / 100, Within: r.Within, Cluster: r.Cluster}
	var err error
	if !(r.AtLeast >= 0 && r.AtLeast <= 100) { // false for NaN
		return Options{}, option.Invalid("at-least", r.AtLeast, "it must be a share in percent, from 0 to 100")
	}
	switch cmp.Or(r.Lane, run.VirtualLane) {
	case run.VirtualLane:
		o.Lanes = []run.Lane{run.VirtualLane}
	case run.NodeLane:
		o.Lanes = []run.Lane{run.NodeLane}
	case Both:
		o.Lanes = []run.Lane{run.VirtualLane, run.NodeLane}
	default:
		return Options{}, option.Invalid("lane", r.Lane, "it must be %s, %s or %s", run.VirtualLane,
			run.NodeLane, Both)
	}
	if o.Version, err = version(r.Version, o.Lanes); err != nil {
		return Options{}, err
	}
	if o.Mutations, err = mutations(r.Mutants, o.Version); err != nil {
		return Options{}, err
	}
	if o.Profile = cmp.Or(r.Profile, trial.Full); o.Profile != trial.Full && o.Profile != trial.Quick {
		return Options{}, option.Invalid("profile", r.Profile, "it must be %s or %s", trial.Quick, trial.Full)
	}
	for _, t := range catalogue {
		if o.Profile.Holds(t) {
			o.Trials = append(o.Trials, t)
		}
	}
	if o.Root, err = session.Root(); err != nil {
		return Options{}, err
	}
	if err := o.useRecord(r); err != nil {
		return Options{}, err
	}
	o.Out = session.Inside(o.Root, r.Out)
	if info, err := os.Stat(o.Out); err == nil && !info.IsDir() {
		return Options{}, option.Invalid("out", r.Out, "it is a file: name a folder")
	}
	return o, o.checkNodeLane(r)
}

func (o *Options) checkNodeLane(r Request) error {
	if !slices.Contains(o.Lanes, run.NodeLane) {
		if r.Within != 0 {
			return errors.New("--within is for the node lane: the virtual lane has no bound")
		}
		return nil
	}
	if r.Within < 0 {
		return option.Invalid("within", r.Within, "it must be the longest duration of the node lane, such as 75m")
	}
	_, err := o.waveConfig(task{reference: o.Version}).Resolve()
	return err
}

// CheckCluster is [session.Config.Check] for the cluster of the node lane, if that has a part.
func (o Options) CheckCluster(ctx context.Context) error {
	if !slices.Contains(o.Lanes, run.NodeLane) {
		return nil
	}
	c, err := o.waveConfig(task{reference: o.Version}).Resolve()
	if err != nil {
		return err
	}
	return c.Check(ctx)
}

func (o *Options) useRecord(r Request) (err error) {
	switch {
	case r.Record == "" && r.Unmet:
		return errors.New("--unmet needs --record, the folder that has the verdicts")
	case r.Record == "":
		return nil
	case r.Unmet && len(o.Lanes) > 1:
		return errors.New("--unmet is for one lane: the lanes of a record have different mutants")
	}
	if o.Record, err = LoadRecord(session.Inside(o.Root, r.Record), o.Version); err != nil {
		return option.Invalid("record", r.Record, "%w", err)
	}
	if !r.Unmet {
		return nil
	}
	o.Record.unmet = true
	o.Mutations = slices.DeleteFunc(o.Mutations, func(m mutation.Mutation) bool { return o.Record.met(m, o.Lanes[0]) })
	if len(o.Mutations) == 0 {
		return errors.New("--unmet: each of these mutants has a verdict in the record: leave it out to try them again")
	}
	return nil
}

func version(asked string, lanes []run.Lane) (string, error) {
	versions := formula.Versions()
	if slices.Contains(lanes, run.VirtualLane) {
		versions = kubelets.VirtualVersions()
	}
	switch {
	case asked == "":
		return versions[0], nil
	case slices.Contains(versions, asked):
		return asked, nil
	}
	return "", fmt.Errorf("--version=%s: the versions are %s", asked, strings.Join(versions, ", "))
}

// mutations returns the requested mutations in the catalogue's order. One requested by name must fit the version.
func mutations(asked, version string) ([]mutation.Mutation, error) {
	all := mutation.All()
	var names []string
	for _, m := range all {
		names = append(names, m.Name)
	}
	choice, err := chooser(asked, names)
	if err != nil {
		return nil, err
	}
	var some []mutation.Mutation
	fit := 0
	for _, m := range all {
		if !choice.chosen(m.Name) {
			continue
		}
		some = append(some, m)
		switch {
		case m.Versions.Contains(version):
			fit++
		case choice.listed:
			return nil, fmt.Errorf(
				"--mutants: %s is for kubelets %s, not for %s: leave it out, or choose another --version", m.Name,
				m.Versions, version)
		}
	}
	if fit == 0 {
		return nil, fmt.Errorf("--mutants=%s: no mutation for kubelets of %s is called so; the mutations are %s", asked,
			version, strings.Join(names, ", "))
	}
	return some, nil
}

type choice struct {
	chosen func(name string) bool
	listed bool
}

// chooser reads names or a regular expression. Names come first, because a name is also an expression.
func chooser(asked string, names []string) (choice, error) {
	if asked == "" {
		return choice{chosen: func(string) bool { return true }}, nil
	}
	var listed, unknown []string
	for part := range strings.SplitSeq(asked, ",") {
		part = strings.TrimSpace(part)
		if slices.Contains(names, part) {
			listed = append(listed, part)
		} else {
			unknown = append(unknown, part)
		}
	}
	switch {
	case len(unknown) == 0:
		return choice{func(name string) bool { return slices.Contains(listed, name) }, true}, nil
	case len(listed) > 0:
		return choice{}, fmt.Errorf("--mutants: there is no mutation %s; the mutations are %s",
			strings.Join(unknown, ", "), strings.Join(names, ", "))
	}
	expression, err := regexp.Compile(asked)
	if err != nil {
		return choice{}, fmt.Errorf("--mutants=%s is neither a list of mutations nor a regular expression: %w", asked,
			err)
	}
	return choice{chosen: expression.MatchString}, nil
}
