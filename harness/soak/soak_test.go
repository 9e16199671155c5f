package soak

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/detection"
	"github.com/podclock/podclock/harness/kubelet"
)

// soak is the configuration of `make soak`.
type soak struct {
	// scenarios is the number of scenarios for each subject, kinds the number of kinds of violations that ends a hunt.
	scenarios, seed, kinds int
	subjects               []kubelet.Subject
	// out is the folder of the report. results is the file for a program that reads the result of one subject.
	out, results string
}

// parseSoak reads the environment. The error is one line that names the variable and the remedy.
func parseSoak(getenv func(string) string) (soak, error) {
	s := soak{out: cmp.Or(getenv("OUT"), "out"), results: getenv("RESULTS")}
	for _, n := range []struct {
		name      string
		to        *int
		otherwise int
	}{{"SOAK", &s.scenarios, 0}, {"SEED", &s.seed, 1}, {"KINDS", &s.kinds, 10}} {
		value := getenv(n.name)
		number, err := strconv.Atoi(cmp.Or(value, strconv.Itoa(n.otherwise)))
		if err != nil || value != "" && number <= 0 {
			return soak{}, fmt.Errorf("%s=%s: write a whole number above 0", n.name, value)
		}
		*n.to = number
	}
	if !filepath.IsAbs(s.out) {
		s.out = filepath.Join("..", "..", s.out)
	}
	if info, err := os.Stat(s.out); err == nil && !info.IsDir() {
		return soak{}, fmt.Errorf("OUT=%s is a file: name a folder", getenv("OUT"))
	}
	list := cmp.Or(getenv("SUBJECTS"), kubelet.VirtualVersions()[0])
	var err error
	if s.subjects, err = kubelet.LaneVirtual.ParseSubjects(list); errors.Is(err, kubelet.ErrNodeOnly) {
		err = fmt.Errorf("%w: random scenarios run on virtual nodes only", err)
	}
	if err != nil {
		return soak{}, fmt.Errorf("SUBJECTS=%s: %w", list, err)
	}
	return s, nil
}

// on hunts on one subject.
func (s soak) on(t *testing.T, subject kubelet.Subject, r Runner) Report {
	t.Helper()
	fmt.Printf("%d scenarios on %s, seeds %d to %d\n", s.scenarios, subject, s.seed, s.seed+s.scenarios-1)
	return Hunt{
		Runner: r, Seed: uint64(s.seed), Scenarios: s.scenarios, AtOnce: runtime.NumCPU(),
		Kinds: s.kinds, Shrinking: time.Minute, Progress: os.Stdout,
	}.Go(t.Context())
}

// page returns a subject's report as a section of Markdown.
func page(subject kubelet.Subject, r Report) string {
	return fmt.Sprintf("# %s\n\n```\n%s```\n\n", subject, r)
}

// save writes the pages of all finished subjects and returns the file's path.
func (s soak) save(pages string) (string, error) {
	path, err := filepath.Abs(filepath.Join(s.out, fmt.Sprintf("soak-%d.md", s.seed)))
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(s.out, 0o755); err != nil {
		return "", err
	}
	return path, os.WriteFile(path, []byte(pages), 0o600)
}

// saveResults writes a [detection.Soak]. A violation of the harness is one, too: it must not pass for a clean subject.
func (r Report) saveResults(path string) error {
	text, err := json.Marshal(detection.Soak{Scenarios: r.Scenarios, Violations: r.kinds()})
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// SOAK is the number of scenarios for each of SUBJECTS, from SEED on. KINDS is the number of kinds of
// violations that ends a hunt. Reports with violations are saved in OUT.
func TestSoak(t *testing.T) {
	s, err := parseSoak(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	if s.scenarios == 0 {
		t.Skip("make soak runs it")
	}
	var pages strings.Builder
	for _, subject := range s.subjects {
		t.Run(subject.String(), func(t *testing.T) {
			report := s.on(t, subject, built(t, subject, os.Stdout))
			fmt.Println(report)
			if s.results != "" {
				if err := report.saveResults(s.results); err != nil {
					t.Fatal(err)
				}
			}
			for _, lack := range report.lacks(s.scenarios, s.kinds) {
				t.Error(lack)
			}
			if len(report.Violations) == 0 {
				return
			}
			pages.WriteString(page(subject, report))
			path, err := s.save(pages.String())
			if err != nil {
				t.Errorf("save the report: %v", err)
			}
			t.Errorf("%d kinds of violations: see above and %s", len(report.Violations), path)
		})
	}
}

// An error in a variable is one line that says what to write.
func TestSoakVariables(t *testing.T) {
	newest := kubelet.Subject{Virtual: true, Version: kubelet.VirtualVersions()[0]}
	g := gomega.NewWithT(t)
	env := func(e map[string]string) func(string) string { return func(name string) string { return e[name] } }
	g.Expect(parseSoak(env(nil))).
		To(gomega.Equal(soak{seed: 1, kinds: 10, subjects: []kubelet.Subject{newest}, out: "../../out"}))
	five := soak{scenarios: 5, seed: 7, kinds: 2, out: "/tmp"}
	five.subjects = []kubelet.Subject{newest, {Virtual: true, Version: "v1.35.4"}}
	g.Expect(parseSoak(env(map[string]string{"SOAK": "5", "SEED": "7", "KINDS": "2",
		"SUBJECTS": newest.Version + ",virtual:v1.35.4", "OUT": "/tmp"}))).To(gomega.Equal(five))

	for variable, says := range map[string]string{
		"SOAK=many":               "SOAK=many: write a whole number above 0",
		"SEED=0":                  "SEED=0: write a whole number above 0",
		"KINDS=-1":                "KINDS=-1: write a whole number above 0",
		"OUT=harness/soak/go":     "",
		"OUT=go.mod":              "OUT=go.mod is a file: name a folder",
		"SUBJECTS=v9.9.9":         `SUBJECTS=v9.9.9: subject "v9.9.9": there is no virtual node "v9.9.9"`,
		"SUBJECTS=./kubelet":      `SUBJECTS=./kubelet: subject "./kubelet": a binary can't run in virtual time`,
		"SUBJECTS=v1.36.3+no-one": `SUBJECTS=v1.36.3+no-one: subject "v1.36.3+no-one": there is no mutation "no-one"`,
	} {
		name, value, _ := strings.Cut(variable, "=")
		_, err := parseSoak(env(map[string]string{name: value}))
		if says == "" {
			g.Expect(err).NotTo(gomega.HaveOccurred(), variable)
			continue
		}
		g.Expect(err).
			To(gomega.MatchError(gomega.And(gomega.HavePrefix(says), gomega.Not(gomega.ContainSubstring("\n")))),
				variable)
	}
}

// The counterexamples of all subjects are saved in one file.
func TestSoakSaves(t *testing.T) {
	g := gomega.NewWithT(t)
	s := soak{seed: 42, out: filepath.Join(t.TempDir(), "new")}
	r := allCauses(1)
	r.Violations["a/b above in delete"] = &Violation{Kind: "a/b above in delete", Scenario: "pod: {}"}
	path, err := s.save(
		page(kubelet.Subject{Version: "v1.36.3", Virtual: true}, r) + page(
			kubelet.Subject{Version: "v1.35.4", Virtual: true}, r),
	)
	g.Expect(err).NotTo(gomega.HaveOccurred())
	g.Expect(path).To(gomega.Equal(filepath.Join(s.out, "soak-42.md")))
	text, err := os.ReadFile(path)
	g.Expect(err).NotTo(gomega.HaveOccurred())
	g.Expect(string(text)).
		To(gomega.MatchRegexp(`(?s)^# virtual:v1.36.3\n.*pod: \{\}.*\n# virtual:v1.35.4\n.*pod: \{\}`))
}
