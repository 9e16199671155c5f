package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

// patient is a pod whose hook takes half of its grace period.
const patient = `apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  terminationGracePeriodSeconds: 20
  containers:
  - {name: app, image: app, lifecycle: {preStop: {exec: {command: [sleep, '10']}}}}
`

// TestAction runs the step of action.yaml as a runner would, on a pull request that gives a pod no time.
func TestAction(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles podclock")
	}
	g := NewWithT(t)
	var action struct {
		Inputs  map[string]struct{ Default string }
		Outputs map[string]struct{ Value string }
		Runs    job
	}
	parse(t, "../../action.yaml", &action)
	g.Expect(action.Runs.Steps).To(HaveLen(2))
	g.Expect(action.Runs.Steps[0].Uses).To(MatchRegexp("^actions/setup-go@[0-9a-f]{40}$"))
	step := action.Runs.Steps[1]
	source, err := filepath.Abs("../..")
	g.Expect(err).NotTo(HaveOccurred())

	repository, temporary := t.TempDir(), t.TempDir()
	git := func(args ...string) {
		c := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		c.Dir = repository
		out, err := c.CombinedOutput()
		g.Expect(err).NotTo(HaveOccurred(), string(out))
	}
	manifest := filepath.Join(repository, "web.yaml")
	g.Expect(os.WriteFile(manifest, []byte(patient), 0o644)).To(Succeed())
	git("init", "--quiet")
	git("add", ".")
	git("commit", "--quiet", "--message=base")
	git("update-ref", "refs/remotes/origin/main", "HEAD")

	output, summary := filepath.Join(temporary, "output"), filepath.Join(temporary, "summary")
	runs := func(base string) (code int, printed string) {
		c := exec.Command("bash", "-e", "-o", "pipefail", "-c", step.Run)
		c.Dir = repository
		c.Env = append(os.Environ(), "RUNNER_TEMP="+temporary, "GITHUB_OUTPUT="+output,
			"GITHUB_STEP_SUMMARY="+summary, "GITHUB_BASE_REF="+base)
		for name, value := range step.Env {
			value = strings.ReplaceAll(value, "${{ github.action_path }}", source)
			for input, i := range action.Inputs {
				value = strings.ReplaceAll(value, "${{ inputs."+input+" }}", i.Default)
			}
			g.Expect(value).NotTo(ContainSubstring("${{"), name)
			c.Env = append(c.Env, name+"="+value)
		}
		out, err := c.CombinedOutput()
		g.Expect(c.ProcessState).NotTo(BeNil(), "%v", err)
		return c.ProcessState.ExitCode(), string(out)
	}
	code, printed := runs("main")
	g.Expect(code).To(BeZero(), printed)
	g.Expect(os.ReadFile(summary)).To(ContainSubstring("nothing changed"))
	text, err := os.ReadFile(output)
	g.Expect(err).NotTo(HaveOccurred())
	findings, found := strings.CutPrefix(strings.TrimSpace(string(text)), "sarif=")
	g.Expect(found).To(BeTrue())
	g.Expect(os.ReadFile(findings)).To(ContainSubstring("2.1.0"))
	g.Expect(action.Outputs["sarif"].Value).To(Equal("${{ steps.predict.outputs.sarif }}"))

	worse := strings.Replace(patient, "GracePeriodSeconds: 20", "GracePeriodSeconds: 0", 1)
	g.Expect(os.WriteFile(manifest, []byte(worse), 0o644)).To(Succeed())
	code, printed = runs("main")
	g.Expect(code).To(Equal(1), printed)
	g.Expect(os.ReadFile(summary)).To(ContainSubstring("grace-zero"))
	code, printed = runs("") // a push: all findings count
	g.Expect(code).To(Equal(1), printed)
	g.Expect(printed).To(ContainSubstring("grace-zero"))
}
