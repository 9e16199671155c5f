package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/yaml"

	"github.com/podclock/podclock/harness/kubelets"
	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/rules/formula"
)

// workflow is the checked part of a workflow.
type workflow struct {
	Permissions map[string]string `json:"permissions"`
	Concurrency any               `json:"concurrency"`
	Jobs        map[string]job    `json:"jobs"`
}

// job is a workflow's job, or a composite action.
type job struct {
	TimeoutMinutes int `json:"timeout-minutes"`
	Steps          []struct {
		Run  string            `json:"run"`
		Uses string            `json:"uses"`
		Env  map[string]string `json:"env"`
	} `json:"steps"`
}

// TestWorkflowsCallTargets checks what a test can check without a runner. A user must be able to do each step.
// A step is a make target with its variables, an action of this repository, or one of GitHub's own at a pinned
// commit. Workflows may only read, and each has a time limit.
func TestWorkflowsCallTargets(t *testing.T) {
	g := NewWithT(t)
	makefile, err := os.ReadFile("../../Makefile")
	g.Expect(err).NotTo(HaveOccurred())
	jobs := map[string]job{}
	files, err := filepath.Glob("../../.github/workflows/*.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(files).To(HaveLen(5))
	for _, file := range files {
		var w workflow
		parse(t, file, &w)
		g.Expect(w.Permissions).To(Equal(map[string]string{"contents": "read"}), file)
		g.Expect(w.Concurrency).NotTo(BeNil(), file)
		for name, j := range w.Jobs {
			g.Expect(j.TimeoutMinutes).To(BeNumerically(">", 0), "%s %s", file, name)
			jobs[filepath.Base(file)+" "+name] = j
		}
	}
	actions, err := filepath.Glob("../../.github/actions/*/action.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	for _, file := range actions {
		var action struct{ Runs job }
		parse(t, file, &action)
		jobs[file] = action.Runs
	}
	targets := 0
	for name, j := range jobs {
		g.Expect(j.Steps).NotTo(BeEmpty(), name)
		for _, step := range j.Steps {
			if step.Run == "" {
				g.Expect(step.Uses).
					To(Or(MatchRegexp("^actions/[a-z/-]+@[0-9a-f]{40}$"), HavePrefix("./.github/actions/")), name)
				continue
			}
			words := strings.Fields(strings.Replace(inner.ReplaceAllString(step.Run, "$1"), "--silent ", "", 1))
			g.Expect(words[0]).To(Equal("make"), "%s: %s", name, step.Run)
			g.Expect(string(makefile)).
				To(MatchRegexp(`(?m)^([a-z-]+ )*`+words[1]+`( [a-z-]+)*:`), "%s: make %s", name, words[1])
			targets++
			for _, setting := range words[2:] {
				variable, _, _ := strings.Cut(setting, "=")
				g.Expect(string(makefile)).To(ContainSubstring(variable), name)
			}
			for variable := range step.Env {
				g.Expect(string(makefile)).To(ContainSubstring(variable), name)
			}
		}
	}
	g.Expect(targets).To(BeNumerically(">", 8))
}

// inner matches the command whose output becomes a step's output.
var inner = regexp.MustCompile(`^(.*) \| sed 's/\^/[a-z]+=/' >> "\$GITHUB_OUTPUT"$`)

// TestNightsHaveAllSubjects expects that every night tests each kubelet in each of its lanes, and keeps its
// builds.
func TestNightsHaveAllSubjects(t *testing.T) {
	g := NewWithT(t)
	all := formula.Versions()
	for _, version := range kubelets.VirtualVersions() {
		all = append(all, string(runs.VirtualLane)+":"+version)
	}
	for file, between := range map[string]string{"../../.github/workflows/nightly.yaml": ",",
		"../../docs/prow/podclock-periodics.yaml": ",", "../../Makefile": " "} {
		text, err := os.ReadFile(file)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(text)).To(ContainSubstring(strings.Join(all, between)), file)
	}
}

func parse(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err == nil {
		err = yaml.Unmarshal(text, into)
	}
	NewWithT(t).Expect(err).NotTo(HaveOccurred(), file)
}

// TestProwJobsCallTargets expects the same targets in the Prow jobs.
func TestProwJobsCallTargets(t *testing.T) {
	g := NewWithT(t)
	makefile, err := os.ReadFile("../../Makefile")
	g.Expect(err).NotTo(HaveOccurred())
	var config struct {
		Periodics []struct {
			Name        string
			Annotations map[string]string
			Spec        struct {
				Containers []struct {
					Args []string
					Env  []struct{ Name, Value string }
				}
			}
		}
	}
	parse(t, "../../docs/prow/podclock-periodics.yaml", &config)
	g.Expect(config.Periodics).To(HaveLen(2))
	for _, p := range config.Periodics {
		g.Expect(p.Annotations).
			To(And(HaveKey("testgrid-dashboards"), HaveKey("testgrid-tab-name"), HaveKey("description")), p.Name)
		c := p.Spec.Containers[0]
		g.Expect(c.Args).To(HaveExactElements(".ci/prow", "make", Not(BeEmpty())), p.Name)
		g.Expect(string(makefile)).To(ContainSubstring("\n"+c.Args[2]+":"), p.Name)
		for _, v := range c.Env {
			g.Expect(string(makefile)).To(ContainSubstring(v.Name), p.Name)
		}
	}
}
