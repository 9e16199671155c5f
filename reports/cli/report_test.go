package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/host/program"
	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/view/series"
)

// saved is the folder of a run with one verdict of each subject.
func saved(t *testing.T, id string, verdicts map[string]trial.Verdict) string {
	t.Helper()
	g := NewWithT(t)
	started, err := time.Parse("20060102-150405", id)
	g.Expect(err).NotTo(HaveOccurred())
	run := runs.Run{ID: id, Profile: "quick", Started: started, Reported: started.Add(time.Minute)}
	for _, subject := range []string{"v1.34.4", "v1.36.3"} {
		if v, ran := verdicts[subject]; ran {
			run.Subjects = append(run.Subjects, runs.Subject{Name: subject})
			run.Outcomes = append(
				run.Outcomes,
				runs.Outcome{
					Trial:    "termination/grace-1",
					Subject:  subject,
					Verdict:  v,
					Attempts: []runs.Attempt{{Result: trial.Result{Verdict: v}}},
				},
			)
		}
	}
	dir := filepath.Join(t.TempDir(), id)
	g.Expect(os.Mkdir(dir, 0o755)).To(Succeed())
	g.Expect(runs.Save(dir, run, nil)).To(Succeed())
	return dir
}

func TestReportWritesFilesAndPrintsTheirPaths(t *testing.T) {
	g := NewWithT(t)
	dir := saved(t, "20260302-095800", map[string]trial.Verdict{"v1.36.3": trial.Conforms, "v1.34.4": trial.Conforms})
	got := call(t.Context(), "report", dir)
	g.Expect(got.code).To(Equal(runs.ExitConforms), got.log)
	g.Expect(got.out).To(Equal(filepath.Join(dir, "report.html") + "\n"))

	to := filepath.Join(t.TempDir(), "new")
	got = call(t.Context(), "report", filepath.Join(dir, runs.RunFile), "--format=junit,conformance, junit", "--to",
		to)
	g.Expect(got.code).To(Equal(runs.ExitConforms), got.log)
	paths := strings.Fields(got.out)
	g.Expect(paths).
		To(Equal([]string{filepath.Join(to, "junit.xml"), filepath.Join(to, "conformance-v1.34.4.yaml"),
			filepath.Join(to, "conformance-v1.36.3.yaml")}))
	for _, path := range paths {
		g.Expect(path).To(BeARegularFile())
	}
}

func TestReportToStandardOutput(t *testing.T) {
	g := NewWithT(t)
	dir := saved(t, "20260302-095800", map[string]trial.Verdict{"v1.36.3": trial.Inconclusive})
	got := call(t.Context(), "report", dir, "--to=-", "--format=annotations")
	g.Expect(got.code).To(Equal(runs.ExitConforms), "to render a bad run is no failure: "+got.log)
	g.Expect(got.out).To(HavePrefix("::error title="))
	got = call(t.Context(), "report", dir, "--to=-", "--format=summary",
		"--link=the page=https://example.com/report.html")
	g.Expect(got.out).To(MatchRegexp(`\[the page\]\(<?https://example\.com/report\.html>?\)`))
	got = call(t.Context(), "report", dir, "--to=-", "--format=summary,junit")
	g.Expect(got.code).To(Equal(runs.ExitUnjudged))
	g.Expect(got.log).To(ContainSubstring("is for one file, and these are 2"))
}

func TestConformanceReportToPublish(t *testing.T) {
	g := NewWithT(t)
	dir := saved(t, "20260302-095800", map[string]trial.Verdict{"v1.36.3": trial.Conforms})
	who := filepath.Join(t.TempDir(), "who.yaml")
	g.Expect(os.WriteFile(who,
		[]byte("organization: Example\nproject: Nodes\nurl: https://example.com\nversion: v1.2.3\ncontact: "+
			"['@example/nodes']\n"), 0o600)).
		To(Succeed())
	got := call(t.Context(), "report", dir, "--format=conformance", "--to=-", "--implementation", who)
	g.Expect(got.code).To(Equal(runs.ExitConforms), got.log)
	g.Expect(got.out).
		To(And(ContainSubstring("organization: Example"), ContainSubstring("podclock: "+program.Read().Name())))
	g.Expect(os.WriteFile(who, []byte("organisation: Example\n"), 0o600)).To(Succeed())
	got = call(t.Context(), "report", dir, "--format=conformance", "--to=-", "--implementation", who)
	g.Expect(got.code).To(Equal(runs.ExitUnjudged))
	g.Expect(got.log).To(ContainSubstring("organisation"))
}

func TestReportRefuses(t *testing.T) {
	dir := saved(t, "20260302-095800", map[string]trial.Verdict{"v1.36.3": trial.Conforms})
	for says, args := range map[string][]string{
		`there is no format "pdf"`: {dir, "--format=pdf"},
		"no saved run at /nowhere": {"/nowhere"},
		"write TEXT=URL":           {dir, "--format=summary", "--link=page"},
		"--before: no saved run":   {dir, "--format=summary,html", "--before=/nowhere"},
		"for the format summary":   {dir, "--before", dir},
		"for the format conform":   {dir, "--format=html,summary", "--numbers"},
		"call it as podclock":      {},
		`argument "more"`:          {dir, "more"},
	} {
		got := call(t.Context(), append([]string{"report"}, args...)...)
		NewWithT(t).Expect(got.code).To(Equal(runs.ExitUnjudged), says)
		NewWithT(t).Expect(got.log).To(ContainSubstring(says))
	}
}

func TestCompareExitCode(t *testing.T) {
	before := saved(t, "20260302-095800",
		map[string]trial.Verdict{"v1.36.3": trial.Conforms, "v1.34.4": trial.Conforms})
	worse := saved(t, "20260303-095800", map[string]trial.Verdict{"v1.36.3": trial.Deviates, "v1.34.4": trial.Conforms})
	unjudged := saved(t, "20260304-095800",
		map[string]trial.Verdict{"v1.36.3": trial.Inconclusive, "v1.34.4": trial.Inconclusive})
	for name, tt := range map[string]struct {
		args []string
		code int
		says string
	}{
		"itself":          {[]string{before, before}, series.ExitNoWorse, "nothing got worse"},
		"worse":           {[]string{before, worse}, series.ExitWorse, "got worse"},
		"better":          {[]string{worse, before}, series.ExitNoWorse, ""},
		"nothing judged":  {[]string{before, unjudged}, series.ExitNotComparable, "can't be compared"},
		"one subject":     {[]string{before, worse, "--subjects=v1.34.4"}, series.ExitNoWorse, ""},
		"another subject": {[]string{before, worse, "--subjects=v1.36.3"}, series.ExitWorse, ""},
		"two of one run":  {[]string{worse, "--subjects=v1.34.4,v1.36.3"}, series.ExitWorse, "v1.34.4 → v1.36.3"},
		"two, other way":  {[]string{worse, "--subjects=v1.36.3,v1.34.4"}, series.ExitNoWorse, ""},
		"with a history":  {[]string{before, worse, "--history", before, "--history", worse}, series.ExitWorse, ""},
		"no counterpart":  {[]string{before}, runs.ExitUnjudged, ""},
		"three subjects":  {[]string{before, worse, "--subjects=a,b,c"}, runs.ExitUnjudged, ""},
		"no such subject": {[]string{before, worse, "--subjects=v9"}, runs.ExitUnjudged, ""},
		"no such history": {[]string{before, worse, "--history=/nowhere"}, runs.ExitUnjudged, ""},
		"no such run":     {[]string{before, "/nowhere"}, runs.ExitUnjudged, ""},
		"as a page":       {[]string{before, worse, "-o", "html"}, series.ExitWorse, "<html"},
		"as JSON":         {[]string{before, worse, "-o", "json"}, series.ExitWorse, `"exitCode": 1`},
		"as YAML":         {[]string{before, worse, "-o", "yaml"}, series.ExitWorse, "exitCode: 1"},
		"as Markdown":     {[]string{before, worse, "-o", "markdown"}, series.ExitWorse, "#"},
		"judged again":    {[]string{before, worse, "--judge"}, series.ExitNotComparable, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			got := call(t.Context(), append([]string{"compare"}, tt.args...)...)
			g.Expect(got.code).To(Equal(tt.code), got.out+got.log)
			g.Expect(strings.ToLower(got.out)).To(ContainSubstring(strings.ToLower(tt.says)))
		})
	}
}

func TestHistoryInEveryFormat(t *testing.T) {
	one := saved(t, "20260302-095800", map[string]trial.Verdict{"v1.36.3": trial.Conforms})
	two := saved(t, "20260303-095800", map[string]trial.Verdict{"v1.36.3": trial.Deviates})
	for format, has := range map[string]string{"text": "termination/grace-1", "markdown": "#", "html": "<html",
		"json": `"runs"`, "yaml": "runs:"} {
		g := NewWithT(t)
		got := call(t.Context(), "history", one, two, "-o", format)
		g.Expect(got.code).To(Equal(runs.ExitConforms), got.log)
		g.Expect(got.out).To(And(ContainSubstring(has), ContainSubstring("20260303-095800")), format)
	}
	g := NewWithT(t)
	g.Expect(call(t.Context(), "history", one, "--most=0").log).To(ContainSubstring("--most=0"))
	g.Expect(call(t.Context(), "history", t.TempDir()).log).To(ContainSubstring("no saved run"))
}
