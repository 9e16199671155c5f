package fuzz

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/fuzz"
	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/cli/shell"
)

func command(args ...string) *cobra.Command {
	c := Command(cobra.NoFileCompletions)
	c.SetArgs(args)
	c.SetOut(io.Discard)
	c.SetErr(io.Discard)
	c.SilenceUsage, c.SilenceErrors = true, true
	return c
}

// Bad input gets one line that says what to write, before anything is built.
func TestBadInput(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for arg, says := range map[string]string{
		"--scenarios=0":                 "--scenarios=0: write a whole number above 0",
		"--scenarios=many":              `invalid argument "many" for "-n, --scenarios" flag`,
		"--seed=0":                      "--seed=0: write a whole number above 0",
		"--kinds=-1":                    "--kinds=-1: write a whole number above 0",
		"--out=" + file:                 "--out=" + file + ": it is a file: name a folder",
		"--subjects=v9.9.9":             `--subjects=v9.9.9: subject "v9.9.9": there is no virtual node "v9.9.9"`,
		"--subjects=./kubelet":          `--subjects=./kubelet: subject "./kubelet": a binary can't run in virtual`,
		"--subjects=v1.36.3+no-one":     `--subjects=v1.36.3+no-one: subject "v1.36.3+no-one": there is no mutation`,
		"--subjects=v1.37.2,v1.37.2":    "--subjects=v1.37.2,v1.37.2: subject",
		"--subjects=v1.37.2@containerd": "random scenarios run on virtual nodes only",
	} {
		g := NewWithT(t)
		err := command(arg).Execute()
		g.Expect(err).To(MatchError(And(ContainSubstring(says), Not(ContainSubstring("\n")))), arg)
	}
}

func TestDefaults(t *testing.T) {
	newest := kubelets.Subject{Virtual: true, Version: kubelets.VirtualVersions()[0]}
	for name, tt := range map[string]struct {
		given     options
		scenarios int
		subjects  []kubelets.Subject
	}{
		"nothing":     {options{}, 10_000, []kubelets.Subject{newest}},
		"predictions": {options{predictions: true}, 1000, []kubelets.Subject{newest}},
		"a number":    {options{scenarios: 7, predictions: true}, 7, []kubelets.Subject{newest}},
		"subjects": {options{subjects: "v1.36.3,virtual:v1.35.4"}, 10_000,
			[]kubelets.Subject{{Virtual: true, Version: "v1.36.3"}, {Virtual: true, Version: "v1.35.4"}}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			o := tt.given
			o.seed, o.kinds, o.out = 1, 10, t.TempDir()
			subjects, out, err := o.checked(func(string) bool { return false })
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(out).To(Equal(o.out))
			g.Expect(o.scenarios).To(Equal(tt.scenarios))
			g.Expect(subjects).To(Equal(tt.subjects))
		})
	}
}

// runner is a node whose verdicts a test decides.
type runner func() trial.Verdict

func (r runner) Run(context.Context, trial.Trial) (trial.Outcome, error) {
	v := r()
	f := trial.Finding{Claim: "c", Verdict: v, Why: "it is late"}
	return trial.Outcome{
		Verdict: v, Attempts: []trial.Attempt{{Result: trial.Result{Verdict: v, Findings: []trial.Finding{f}}}},
	}, nil
}

// The exit code and the saved report say how the scenarios of all subjects ended.
func TestPlay(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	for name, tt := range map[string]struct {
		newest func() trial.Verdict
		older  error
		code   int
		says   string
	}{
		"all conform": {func() trial.Verdict { return trial.Conforms }, nil, run.ExitConforms,
			"exit code 0: every claim holds.\n"},
		"one deviates": {func() trial.Verdict { return trial.Deviates }, nil, run.ExitDeviates,
			"podclock fuzz --subjects=virtual:v1.37.2 --seed=5 --scenarios=1\n"},
		"none is judged": {func() trial.Verdict { return trial.Inconclusive }, nil, run.ExitUnjudged,
			"exit code 2: no claim is violated, but some scenarios have no verdict or are missing.\n"},
		"one can't be built": {func() trial.Verdict { return trial.Conforms }, errors.New("no space left"),
			run.ExitUnjudged, "exit code 2: virtual:v1.36.3 could not be put under test: no space left.\n"},
		"interrupted": {func() trial.Verdict {
			cancel(errors.New("interrupt signal received"))
			return trial.Conforms
		}, nil, run.ExitUnjudged, "exit code 2: interrupted: interrupt signal received.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			within := t.Context()
			if name == "interrupted" {
				within = ctx
			}
			text := shell.Text
			o := options{
				subjects: "v1.37.2,v1.36.3", scenarios: 4, seed: 5, kinds: 1, out: t.TempDir(), output: &text,
				node: func(_ context.Context, s kubelets.Subject, _ io.Writer) (fuzz.Runner, error) {
					if s.Version == "v1.36.3" {
						return runner(func() trial.Verdict { return trial.Conforms }), tt.older
					}
					return runner(tt.newest), nil
				},
			}
			var out, log bytes.Buffer
			c := &cobra.Command{}
			c.SetOut(&out)
			c.SetErr(&log)
			c.SetContext(within)
			err := o.play(c)
			g.Expect(shell.ExitCode(err, io.Discard)).To(Equal(tt.code))
			g.Expect(out.String()).To(ContainSubstring(tt.says))
			saved, err := filepath.Glob(filepath.Join(o.out, "fuzz-*", "fuzz.*"))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(saved).To(HaveLen(2), "as JSON and as Markdown")
			if tt.code != run.ExitConforms {
				return
			}
			for _, format := range []string{shell.JSON, shell.YAML, shell.Markdown} {
				out.Reset()
				o.output = &format
				g.Expect(o.play(c)).To(Succeed())
				g.Expect(json.Valid(out.Bytes())).To(Equal(format == shell.JSON))
				g.Expect(out.String()).To(ContainSubstring("virtual:v1.36.3"))
			}
		})
	}
}
