package prediction

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/reports/apis/predictions/v1alpha1"
	"github.com/podclock/podclock/reports/cli/shell"
)

// A folder has a committed manifest, a changed one, and a new one in a folder below.
func TestPredictDiff(t *testing.T) {
	g := NewWithT(t)
	t.Chdir(t.TempDir())
	git := func(args ...string) {
		t.Helper()
		out, err := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...).
			CombinedOutput()
		g.Expect(err).NotTo(HaveOccurred(), string(out))
	}
	save := func(file, text string) {
		g.Expect(os.MkdirAll(filepath.Dir(file), 0o700)).To(Succeed())
		g.Expect(os.WriteFile(file, []byte(text), 0o600)).To(Succeed())
	}
	git("init", "-q")
	save("deploy/web.yaml", hung)
	save("deploy/README.md", "no manifest")
	git("add", "-A")
	git("commit", "-qm", "first")
	save("deploy/web.yaml", strings.Replace(hung, "PeriodSeconds: 20", "PeriodSeconds: 40", 1))
	save("deploy/below/other.yaml", strings.Replace(hung, "{name: web}", "{name: other}", 1))
	save("old.yaml", hung)

	changes := func(args ...string) map[string]string {
		t.Helper()
		got := call(t.Context(), append([]string{"predict", "diff", "-o", "json"}, args...)...)
		g.Expect(got.code).To(Equal(shell.Succeeded), got.log)
		var d v1alpha1.Diff
		g.Expect(json.Unmarshal([]byte(got.out), &d)).To(Succeed())
		all := map[string]string{}
		for _, c := range d.Changes {
			all[c.Workload] = c.Change
		}
		return all
	}
	changed := map[string]string{"Pod web": "changed"}
	for _, args := range [][]string{
		{"old.yaml", "deploy"}, {"HEAD", "deploy"}, {"deploy", "HEAD"}, {"HEAD:deploy", "deploy"},
		{"HEAD:deploy/web.yaml", "deploy/web.yaml"}, {"HEAD", "deploy/web.yaml"},
	} {
		g.Expect(changes(args...)).To(Equal(changed), "%v", args)
	}
	g.Expect(changes("HEAD", "deploy", "-R")).
		To(Equal(map[string]string{"Pod web": "changed", "Pod other": "added"}))
	g.Expect(changes("HEAD", "HEAD", "-R")).To(BeEmpty())
	g.Expect(changes("HEAD:deploy", "HEAD")).To(BeEmpty(), "a mere revision means the other's path")

	for args, says := range map[string]string{
		"HEAD nowhere":  "nowhere is no file, folder or git revision",
		"HEAD HEAD":     "there is no .yaml, .yml or .json file in HEAD:.; -R reads",
		"HEAD:x deploy": "read x of git revision HEAD",
		"- -":           "both versions are standard input",
		"old.yaml":      "accepts 2 arg(s)",
	} {
		got := call(t.Context(), append([]string{"predict", "diff"}, strings.Fields(args)...)...)
		g.Expect(got.code).To(Equal(shell.Failed), args)
		g.Expect(got.log).To(ContainSubstring(says), args)
	}
	for args, code := range map[string]int{
		"HEAD deploy --fail-on=note":     shell.Succeeded, // an old finding with other numbers
		"HEAD deploy -R --fail-on=error": shell.Succeeded, "HEAD deploy -R --fail-on=note": FoundSome,
	} {
		g.Expect(call(t.Context(), append([]string{"predict", "diff"}, strings.Fields(args)...)...).code).
			To(Equal(code), args)
	}
}
