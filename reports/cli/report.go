package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"sigs.k8s.io/yaml"

	"github.com/podclock/podclock/harness/host/program"
	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/reports/apis/v1alpha1"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/render"
	"github.com/podclock/podclock/reports/render/conformance"
	"github.com/podclock/podclock/reports/render/folder"
	"github.com/podclock/podclock/reports/render/github"
)

const toOutput = "-"

type reportOptions struct {
	App
	formats        []string
	to             string
	judge          bool
	before         string
	links          []string
	implementation string
	numbers        bool
}

func (a App) report() *cobra.Command {
	o := reportOptions{App: a}
	command := &cobra.Command{
		Use:               "report RUN",
		Short:             "render a saved run as a page, JUnit, Markdown, OpenMetrics or another format",
		Args:              shell.Arguments(1, 1),
		ValidArgsFunction: completeRuns,
		Long: "Render a saved run into files, and print their paths. RUN is a run's folder, the link to one, or its " +
			runs.RunFile + ". The formats:\n\n" + formatList() +
			"\nThe verdicts are the saved ones without --judge. A conformance report is always judged again.",
		Example: `  podclock report out/latest
  podclock report out/latest --format=html,openmetrics --to=public
  podclock report out/latest --format=summary --to=- --before=nights/20260301-020000 >> "$GITHUB_STEP_SUMMARY"
  podclock report out/latest --format=conformance --implementation=who.yaml --numbers`,
		RunE: func(c *cobra.Command, args []string) error { return o.render(c, args[0]) },
	}
	flags := command.Flags()
	flags.StringSliceVarP(&o.formats, "format", "f", []string{"html"},
		"what to render, separated by commas: "+strings.Join(render.Names(), ", "))
	shell.Complete(command, "format", shell.CompleteList(func(string) []cobra.Completion {
		var words []cobra.Completion
		for _, f := range render.Formats() {
			words = append(words, cobra.CompletionWithDesc(f.Name, f.Description))
		}
		return words
	}))
	flags.StringVar(&o.to, "to", "",
		"the folder for the files, or - to write the only one to standard output (default the run's own folder)")
	shell.CompleteFolders(command, "to")
	flags.BoolVar(&o.judge, "judge", false, judgeUsage)
	flags.StringVar(&o.before, "before", "", "an earlier run that the summary compares with")
	shell.Complete(command, "before", completeRuns)
	flags.StringArrayVar(&o.links, "link", nil, "TEXT=URL of a link in the summary; may be given more than once")
	shell.Complete(command, "link", cobra.NoFileCompletions)
	flags.StringVar(&o.implementation, "implementation", "", "a YAML file for published conformance "+
		"reports that names who is responsible: organization, project, url, version, contact")
	flags.BoolVar(&o.numbers, "numbers", false, "put every measured number into conformance reports")
	return command
}

func formatList() string {
	var b strings.Builder
	for _, f := range render.Formats() {
		_, _ = fmt.Fprintf(&b, "  %-12s %s\n", f.Name, f.Description)
	}
	return b.String()
}

func (o reportOptions) render(c *cobra.Command, path string) error {
	formats, err := o.wanted()
	if err != nil {
		return err
	}
	if err := o.idle(c.Flags()); err != nil {
		return err
	}
	options, err := o.options()
	if err != nil {
		return err
	}
	run, err := o.load(path, o.judge)
	if err != nil {
		return err
	}
	conforms := func(f render.Format) bool { return f.Name == "conformance" }
	if run.Promises != nil && slices.ContainsFunc(formats, conforms) {
		return errors.New("--format=conformance is about the catalogue, and this run has the trials of a manifest: " +
			"leave it out")
	}
	options.Catalogue = o.trialsOf(run)
	if o.to == toOutput {
		return writeOnly(c.OutOrStdout(), formats, run, options)
	}
	dir := cmp.Or(o.to, folderOf(path))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("create the folder of the reports (name another one with --to): %w", err)
	}
	paths, err := folder.WriteFormats(dir, run, options, formats...)
	for _, p := range paths {
		if _, err := fmt.Fprintln(c.OutOrStdout(), p); err != nil {
			return err
		}
	}
	return err
}

// wanted returns each format once.
func (o reportOptions) wanted() ([]render.Format, error) {
	var formats []render.Format
	named := map[string]bool{}
	for _, name := range o.formats {
		name = strings.TrimSpace(name)
		f, err := render.Find(name)
		if err != nil {
			return nil, err
		}
		if !named[name] {
			formats = append(formats, f)
		}
		named[name] = true
	}
	if len(formats) == 0 {
		return nil, errors.New("no format: name one with --format, such as html")
	}
	return formats, nil
}

// idle refuses flags of other formats.
func (o reportOptions) idle(flags *pflag.FlagSet) error {
	for _, of := range []struct{ flag, format string }{{"before", "summary"}, {"link", "summary"},
		{"implementation", "conformance"}, {"numbers", "conformance"}} {
		if flags.Changed(of.flag) &&
			!slices.ContainsFunc(o.formats, func(name string) bool { return strings.TrimSpace(name) == of.format }) {
			return fmt.Errorf("--%s is for the format %s: add it to --format, or leave --%s out", of.flag, of.format,
				of.flag)
		}
	}
	return nil
}

func (o reportOptions) options() (render.Options, error) {
	report := conformance.Options{Podclock: program.Read().Name(), Numbers: o.numbers}
	options := render.Options{Catalogue: o.Catalogue, Conformance: report}
	for _, link := range o.links {
		text, url, ok := strings.Cut(link, "=")
		if !ok || text == "" || url == "" {
			return options, fmt.Errorf("--link=%s: write TEXT=URL", link)
		}
		options.Links = append(options.Links, github.Link{Text: text, URL: url})
	}
	if o.before != "" {
		before, err := runs.Load(o.before)
		if err != nil {
			return options, fmt.Errorf("--before: %w", err)
		}
		options.Before = &before
	}
	if o.implementation != "" {
		text, err := os.ReadFile(o.implementation)
		if err != nil {
			return options, fmt.Errorf("--implementation: %w", err)
		}
		options.Conformance.Implementation = &v1alpha1.Implementation{}
		if err := yaml.UnmarshalStrict(text, options.Conformance.Implementation); err != nil {
			return options, fmt.Errorf("--implementation=%s has organization, project, url, version and contact: %w",
				o.implementation, err)
		}
	}
	return options, nil
}

func writeOnly(w io.Writer, formats []render.Format, run runs.Run, o render.Options) error {
	var files []render.File
	v := o.View(run)
	for _, f := range formats {
		files = append(files, f.Files(v, o)...)
	}
	if len(files) != 1 {
		return fmt.Errorf("--to=- is for one file, and these are %d: name a folder, or one format", len(files))
	}
	return files[0].Render(w)
}

func folderOf(path string) string {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return filepath.Dir(path)
	}
	return path
}
