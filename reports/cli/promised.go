package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/host/option"
	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/predict/manifest/source"
	"github.com/podclock/podclock/harness/promises"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/reports/cli/listing"
	"github.com/podclock/podclock/reports/cli/shell"
)

// manifests are the manifests whose predictions a run checks, instead of the trials of the catalogue.
type manifests struct {
	files     []string
	recursive bool
	templates []string
}

func (m *manifests) flags(command *cobra.Command) {
	set := command.Flags()
	set.StringSliceVarP(&m.files, "filename", "f", nil,
		"a manifest, a folder or pattern of them, an https address, or - "+
			"for standard input: run trials of its pods instead of the catalogue's, by what podclock predict says of them")
	shell.CompleteFiles(command, "filename", "yaml", "yml", "json")
	set.BoolVarP(&m.recursive, "recursive", "R", false, "with -f: read the folders below a folder as well")
	set.StringArrayVar(&m.templates, "template-path", nil,
		"with -f: where custom resources have a pod template, such as "+
			"example.com/Widget=.spec.workers[*].template; may be given more than once")
}

// check refuses flags that have no meaning together.
func (m manifests) check(config session.Config) error {
	if len(m.files) == 0 {
		if m.recursive || len(m.templates) > 0 {
			return errors.New("--recursive and --template-path are for --filename: name a manifest")
		}
		return nil
	}
	for _, f := range []struct {
		name string
		set  bool
	}{{"profile", config.Profile != ""}, {"within", config.Within != 0}} {
		if f.set {
			return fmt.Errorf("--%s chooses trials of the catalogue, and --filename has trials of its own: leave --%s "+
				"out, and choose with --focus", f.name, f.name)
		}
	}
	if config.Continue {
		return errors.New("--continue adds to a run of the catalogue: leave it or --filename out")
	}
	return nil
}

// trials returns the trials of the manifests, and what the run saves of them.
func (m manifests) trials(in io.Reader) ([]trial.Trial, *runs.Promises, error) {
	var templates []manifest.Template
	for _, s := range m.templates {
		t, err := manifest.ParseTemplate(s)
		if err != nil {
			return nil, nil, option.Invalid("template-path", s, "%w", err)
		}
		templates = append(templates, t)
	}
	files, err := source.Files(m.files, m.recursive)
	if err != nil {
		return nil, nil, err
	}
	read, err := source.Read(files, in, templates...)
	if err != nil {
		return nil, nil, m.invalid(err)
	}
	name := strings.Join(m.files, ", ")
	if len(read.Objects) == 0 {
		return nil, nil, fmt.Errorf("no object of %s makes pods: name a manifest with a Deployment, a Pod, a Job or "+
			"another kind that podclock predict --help lists", source.Name(name))
	}
	all, saved, err := promises.Of(predict.Workloads(read), formula.Kubelet{Version: formula.NewestKnown})
	if err != nil {
		return nil, nil, err
	}
	if saved.Files = m.files; m.recursive {
		saved.Files = files // the command that plays the run again names them all
	}
	if len(all) == 0 {
		return nil, nil, fmt.Errorf("no pod of %s can be played: %s: %s", source.Name(name), saved.Unplayed[0].Workload,
			saved.Unplayed[0].Why)
	}
	return all, &saved, nil
}

// invalid returns the first problem of a manifest, in one line.
func (m manifests) invalid(err error) error {
	invalid := (*manifest.Invalid)(nil)
	if !errors.As(err, &invalid) || len(invalid.Problems) == 1 {
		return err
	}
	more := runs.Plural(len(invalid.Problems)-1, "more problem")
	return fmt.Errorf("%s: %s; and %s, which podclock predict lists", invalid.Name, invalid.Problems[0], more)
}

// bounded leaves out the trials that take longer than the node lane's bound, and notes them.
func bounded(selected []runner.Selection, config session.Config) []runner.Selection {
	if config.Promises == nil {
		return selected
	}
	nodes := config.InLane(runs.NodeLane)
	left := map[string]bool{}
	return slices.DeleteFunc(selected, func(s runner.Selection) bool {
		if s.Trial.Lasts <= promises.NodeBound || !slices.Contains(nodes, s.Subject) {
			return false
		}
		if !left[s.Trial.ID] {
			left[s.Trial.ID] = true
			workload, answer, _ := strings.Cut(s.Trial.ID, "/")
			config.Promises.Unplayed = append(config.Promises.Unplayed, runs.Unplayed{
				Workload: workload, Answer: answer, Why: fmt.Sprintf("it takes more than the %s of a trial on a real "+
					"node; --lane=virtual plays it", listing.Lasts(promises.NodeBound)),
			})
		}
		return true
	})
}
