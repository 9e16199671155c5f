package fuzz

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/kubelet"
)

func command(args ...string) *cobra.Command {
	c := Command(Needs{})
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
		"--subjects=v1.37.2@containerd": "random scenarios run on virtual nodes",
	} {
		g := NewWithT(t)
		err := command(arg).Execute()
		g.Expect(err).To(MatchError(And(ContainSubstring(says), Not(ContainSubstring("\n")))), arg)
	}
}

func TestDefaults(t *testing.T) {
	newest := kubelet.Subject{Virtual: true, Version: kubelet.VirtualVersions()[0]}
	for name, tt := range map[string]struct {
		given     options
		scenarios int
		subjects  []kubelet.Subject
	}{
		"nothing":     {options{}, 10_000, []kubelet.Subject{newest}},
		"predictions": {options{predictions: true}, 1000, []kubelet.Subject{newest}},
		"a number":    {options{scenarios: 7, predictions: true}, 7, []kubelet.Subject{newest}},
		"subjects": {options{subjects: "v1.36.3,virtual:v1.35.4"}, 10_000,
			[]kubelet.Subject{{Virtual: true, Version: "v1.36.3"}, {Virtual: true, Version: "v1.35.4"}}},
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
