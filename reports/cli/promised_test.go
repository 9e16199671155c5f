package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/promises"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/session"
)

const onePod = `apiVersion: v1
kind: Pod
metadata: {name: one}
spec:
  containers:
  - name: app
    image: app
    livenessProbe: {tcpSocket: {port: 80}}
`

func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAManifestIsRefusedBeforeItStarts(t *testing.T) {
	good := written(t, "one.yaml", onePod)
	for name, tt := range map[string]struct {
		args []string
		says string
	}{
		"with a profile": {[]string{"-f", good, "--profile=quick"}, "--profile chooses trials of the catalogue"},
		"within a time":  {[]string{"-f", good, "--within=3m"}, "--within chooses trials of the catalogue"},
		"to continue": {[]string{"-f", good, "--continue", "--on=external"},
			"--continue adds to a run of the catalogue: leave it or --filename out"},
		"a file that is not there": {[]string{"-f", good + "s"}, "no such file"},
		"an empty folder":          {[]string{"-f", t.TempDir()}, "there is no .yaml, .yml or .json file in"},
		"folders without a manifest": {[]string{"-R"},
			"--recursive and --template-path are for --filename: name a manifest"},
		"no path of a template": {[]string{"-f", good, "--template-path=Widget"}, "--template-path=Widget: "},
		"no pod": {[]string{"-f", written(t, "map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n")},
			"makes pods: name a manifest with a Deployment"},
		"one mistake": {[]string{"-f", written(t, "wrong.yaml", strings.Replace(onePod, "image", "imege", 1))},
			"spec.containers[0].imege"},
		"more mistakes": {[]string{"-f", written(t, "wrong.yaml",
			strings.NewReplacer("image", "imege", "livenessProbe", "liveness").Replace(onePod))},
			"; and 1 more problem, which podclock predict lists"},
		"a pod that nothing plays": {[]string{"-f", written(t, "windows.yaml", onePod+"  os: {name: windows}\n")},
			"windows.yaml can be played: pod-one: the pod runs on Windows"},
		"a focus on nothing": {[]string{"-f", good, "--focus=termination/"}, "is selected by focus"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := NewWithT(t)
			got := start(t, plain, append([]string{"run", "--lane=virtual"}, tt.args...)...)
			g.Expect(got.code).To(Equal(runs.ExitUnjudged), got.out)
			g.Expect(got.log).To(And(HavePrefix("podclock: "), ContainSubstring(tt.says)))
			g.Expect(strings.Count(got.log, "\n")).To(Equal(1), got.log)
		})
	}
}

func TestADryRunListsWhatIsNotPlayed(t *testing.T) {
	g := NewWithT(t)
	got := start(t, plain, "run", "-f", written(t, "one.yaml", onePod), "--dry-run", "--subjects=v1.37.2")
	g.Expect(got.code).To(Equal(runs.ExitConforms), got.log)
	g.Expect(got.out).To(And(ContainSubstring("v1.37.2  pod-one/delete-longest "), ContainSubstring("## Not played"),
		ContainSubstring("pod-one: preemption"), ContainSubstring("pod-one: crash-app"),
		ContainSubstring("more than the 5m of a trial on a real node")))
	g.Expect(got.out).NotTo(ContainSubstring("pod-one/crash-app "), "it takes half an hour")
}

// The bound is that of real nodes: a virtual one plays the same trial.
func TestLongTrialsAreLeftOutOnRealNodes(t *testing.T) {
	g := NewWithT(t)
	config, err := session.Config{
		Subjects: "v1.37.2,virtual:v1.37.2", Promises: &runs.Promises{},
		KindBase: []byte("kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n"),
	}.Resolve()
	g.Expect(err).NotTo(HaveOccurred())
	long := trial.Trial{ID: "pod-one/crash-app", Lasts: promises.NodeBound + 1}
	short := trial.Trial{ID: "pod-one/delete-longest", Lasts: promises.NodeBound}
	var all []runner.Selection
	for _, tr := range []trial.Trial{long, short} {
		for _, subject := range config.SubjectNames() {
			all = append(all, runner.Selection{Trial: tr, Subject: subject})
		}
	}
	kept := bounded(all, config)
	g.Expect(kept).To(HaveLen(3))
	g.Expect(kept[0].Subject).To(Equal("virtual:v1.37.2"))
	g.Expect(config.Promises.Unplayed).To(ConsistOf(And(
		HaveField("Workload", "pod-one"), HaveField("Answer", "crash-app"), HaveField("Why", Not(BeEmpty())))))
}

// A saved run is judged by the trials of its manifest. Those of a manifest that can't be read are unknown.
func TestARunOfAManifestIsJudgedAgain(t *testing.T) {
	g := NewWithT(t)
	m, err := manifest.Read(strings.NewReader(onePod), "one.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	trials, saved, err := promises.Of(predict.Workloads(m), formula.Kubelet{Version: formula.NewestKnown})
	g.Expect(err).NotTo(HaveOccurred())
	found := func(r runs.Run) bool {
		_, found := trial.Finder(tested.trialsOf(r)())(trials[0].ID)
		return found
	}
	g.Expect(found(runs.Run{Promises: &saved})).To(BeTrue())
	g.Expect(found(runs.Run{})).To(BeFalse(), "the catalogue has other trials")
	saved.Workloads = []byte("{}")
	g.Expect(found(runs.Run{Promises: &saved})).To(BeFalse())
}
