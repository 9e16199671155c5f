package prediction

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/yaml"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/podclock/podclock/reports/apis/predictions/v1alpha1"
	"github.com/podclock/podclock/reports/cli/shell"
)

// hung is a pod with a sleep action of its whole grace period, and a ConfigMap, which makes no pod.
const hung = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  terminationGracePeriodSeconds: 20
  containers:
  - name: app
    image: app
    lifecycle:
      preStop:
        sleep: {seconds: 20}
    livenessProbe:
      httpGet: {path: /, port: 8080}
      periodSeconds: 5
`

// manifestFile saves a manifest.
func manifestFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "manifest.yaml")
	NewWithT(t).Expect(os.WriteFile(file, []byte(text), 0o600)).To(Succeed())
	return file
}

// predicted returns the program's JSON prediction of a manifest.
func predicted(t *testing.T, args ...string) v1alpha1.Prediction {
	t.Helper()
	g := NewWithT(t)
	got := call(t.Context(), append([]string{"predict", "-o", "json"}, args...)...)
	g.Expect(got.code).To(Equal(shell.Succeeded), got.log)
	var f v1alpha1.Prediction
	g.Expect(json.Unmarshal([]byte(got.out), &f)).To(Succeed())
	return f
}

func TestPredictInEveryFormat(t *testing.T) {
	file := manifestFile(t, hung)
	for format, begins := range map[string]string{
		"text": file + ": ", "json": "{", "yaml": "", "svg": "<svg", "html": "<!DOCTYPE html>", "findings": file + ":",
		"sarif": "{",
	} {
		t.Run(format, func(t *testing.T) {
			g := NewWithT(t)
			got := call(t.Context(), "predict", "-f", file, "-o", format)
			g.Expect(got.code).To(Equal(shell.Succeeded), got.log)
			g.Expect(strings.ToLower(got.out)).To(HavePrefix(strings.ToLower(begins)))
			g.Expect(got.out).To(ContainSubstring("web"))
			again := call(t.Context(), "predict", "-f", file, "-o", format)
			g.Expect(again.out).To(Equal(got.out), "the same manifest, the same bytes")
		})
	}
}

// Every named manifest is predicted. A finding of the first is none of the second.
func TestPredictSeveralManifests(t *testing.T) {
	bad, good := manifestFile(t, hung), manifestFile(t, strings.Replace(hung, "seconds: 20}", "seconds: 5}", 1))
	for name, args := range map[string][]string{
		"flags": {"-f", bad, "-f", good}, "arguments": {bad, good}, "both": {good, "-f", bad},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			f := predicted(t, args...)
			g.Expect(f.Manifest).To(Equal("2 manifests"))
			g.Expect(f.Workloads).To(HaveLen(2))
			g.Expect([]string{f.Workloads[0].File, f.Workloads[1].File}).To(ConsistOf(bad, good))
			g.Expect(f.WithoutPods).To(Equal([]v1alpha1.Objects{{Kind: "ConfigMap", Count: 2}}))
			got := call(t.Context(), append([]string{"predict", "--fail-on=warning"}, args...)...)
			g.Expect(got.code).To(Equal(FoundSome), "one of them has a warning")
			says := strings.Join(strings.Fields(got.out), " ")
			g.Expect(says).To(ContainSubstring("web (" + good + ", document 2, line 5)"))
			got = call(t.Context(), append([]string{"predict", "-o", "findings"}, args...)...)
			g.Expect(got.out).To(ContainSubstring(bad + ":15: warning"))
			g.Expect(got.out).NotTo(ContainSubstring(good + ":15: warning"))
			got = call(t.Context(), append([]string{"predict", "-o", "sarif"}, args...)...)
			g.Expect(got.out).To(And(ContainSubstring(bad), ContainSubstring(good)))
		})
	}
}

func TestPredictFromStandardInput(t *testing.T) {
	g := NewWithT(t)
	got := read(t.Context(), strings.NewReader(hung), "predict", "-f", "-", "-o", "yaml")
	g.Expect(got.code).To(Equal(shell.Succeeded), got.log)
	var f v1alpha1.Prediction
	g.Expect(yaml.Unmarshal([]byte(got.out), &f)).To(Succeed())
	g.Expect(f.Manifest).To(Equal("standard input"))
	g.Expect(f.Workloads).To(HaveLen(1))
	g.Expect(f.WithoutPods).To(HaveLen(1))
}

func TestPredictFailsOnFindings(t *testing.T) {
	g := NewWithT(t)
	file := manifestFile(t, hung)
	g.Expect(call(t.Context(), "predict", "-f", file).code).To(Equal(shell.Succeeded))
	for _, level := range []string{"error", "warning", "note"} {
		g.Expect(call(t.Context(), "predict", "-f", file, "--severity=hook-equals-grace=error",
			"--fail-on="+level).code).
			To(Equal(FoundSome), level)
	}
	sane := manifestFile(t,
		"{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: app, image: app}]}}")
	g.Expect(call(t.Context(), "predict", "-f", sane, "--fail-on=note").code).To(Equal(shell.Succeeded))
}

func TestPredictByTheNamedKubelet(t *testing.T) {
	g := NewWithT(t)
	file := manifestFile(t, hung)
	config := manifestFile(
		t,
		"apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nevictionMaxPodGracePeriod: "+
			"7\nfeatureGates: {A: true, B: true}\n",
	)
	k := predicted(t, "-f", file, "--kubernetes=1.34.4", "--kubelet-config="+config,
		"--feature-gates=B=false,C=true").Kubelet
	g.Expect(k.Version).To(Equal("v1.34.4"))
	g.Expect(k.EvictionMaxPodGracePeriodSeconds).To(BeEquivalentTo(7))
	g.Expect(k.FeatureGates).To(Equal(map[string]bool{"A": true, "B": false, "C": true}))
	configz := manifestFile(t, `{"kubeletconfig": {"evictionMaxPodGracePeriod": 9}}`)
	g.Expect(predicted(t, "-f", file, "--kubelet-config="+configz).Kubelet.EvictionMaxPodGracePeriodSeconds).
		To(BeEquivalentTo(9))
	k = predicted(t, "-f", file, "--kubelet-config="+configz, "--eviction-max-pod-grace-period=60",
		"--eviction-soft-grace-period=90s", "--max-container-restart-period=20s", "--volume-stats-agg-period=10s",
		"--sync-frequency=2m").Kubelet
	g.Expect(k.EvictionMaxPodGracePeriodSeconds).To(BeEquivalentTo(60), "the flag overrides the file")
	g.Expect([]float64{k.EvictionSoftGracePeriodSeconds, k.MaxContainerRestartPeriodSeconds,
		k.VolumeStatsAggPeriodSeconds, k.SyncFrequencySeconds}).To(Equal([]float64{90, 20, 10, 120}))
	g.Expect(predicted(t, "-f", file).Kubelet.Extrapolated).To(BeFalse())
	g.Expect(predicted(t, "-f", file, "--kubernetes=v1.99.0").Kubelet.Extrapolated).To(BeTrue())
}

// TestPredictRefuses expects that bad input is an error with a remedy, and that nothing is predicted.
func TestPredictRefuses(t *testing.T) {
	file := manifestFile(t, hung)
	for name, tt := range map[string]struct {
		args []string
		says []string
	}{
		"no manifest": {nil, []string{"no manifest: name one"}},
		"an empty manifest": {[]string{manifestFile(t, "# nothing\n"), "--fail-on=note"},
			[]string{"is the manifest empty?"}},
		"the same twice": {[]string{file, "-f", file}, []string{"is named twice"}},
		"two that are wrong": {[]string{manifestFile(t, "a: ["), manifestFile(t, hung+"  restartPolice: Always\n")},
			[]string{"document 1", "restartPolice"}},
		"a missing file": {[]string{"-f", "/nowhere.yaml"}, []string{"/nowhere.yaml"}},
		"an unknown field": {[]string{"-f", manifestFile(t, hung+"  restartPolice: Always\n")},
			[]string{"document 2", "restartPolice"}},
		"an invalid pod": {[]string{"-f",
			manifestFile(t, strings.Replace(hung, "periodSeconds: 5", "periodSeconds: -5", 1))},
			[]string{"document 2", "livenessProbe.periodSeconds"}},
		"an unknown kind": {[]string{"-f",
			manifestFile(t, "{apiVersion: v1, kind: Pot, metadata: {name: a}}")}, []string{"document 1", "Pot"}},
		"no YAML": {[]string{"-f", manifestFile(t, "a: [")}, []string{"document 1"}},
		"not a release": {[]string{"-f", file, "--kubernetes=latest"},
			[]string{"--kubernetes=latest", "v1.37.2"}},
		"a gate's value":   {[]string{"-f", file, "--feature-gates=A=on"}, []string{"true or false"}},
		"a negative time":  {[]string{"-f", file, "--hook-takes=-1s"}, []string{"--hook-takes"}},
		"a negative grace": {[]string{"-f", file, "--grace-period=-1"}, []string{"--grace-period"}},
		"a setting out of bounds": {[]string{"-f", file, "--max-container-restart-period=10m"},
			[]string{"--max-container-restart-period", "1s to 5m0s"}},
		"a setting without effect": {[]string{"-f", file, "--max-container-restart-period=10s", "--kubernetes=v1.34.4"},
			[]string{"--max-container-restart-period", "v1.34.4"}},
		"an age": {[]string{"-f", file, "--eviction-soft-grace-period=100000h"},
			[]string{"--eviction-soft-grace-period", "ten years"}},
		"another configuration": {[]string{"-f", file, "--kubelet-config", file}, []string{"--kubelet-config"}},
		"an unknown level":      {[]string{"-f", file, "--fail-on=fatal"}, []string{"error, warning or note"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			got := call(t.Context(), append([]string{"predict"}, tt.args...)...)
			g.Expect(got.code).To(Equal(shell.Failed))
			g.Expect(got.out).To(BeEmpty())
			for _, says := range tt.says {
				g.Expect(got.log).To(ContainSubstring(says))
			}
		})
	}
}

// A folder means its manifests. Those of the folders below it are read on request.
func TestPredictFolders(t *testing.T) {
	g := NewWithT(t)
	folder := t.TempDir()
	below := filepath.Join(folder, "below")
	g.Expect(os.Mkdir(below, 0o755)).To(Succeed())
	for _, file := range []string{"b.yml", "a.yaml", "notes.txt", "below/c.json"} {
		text := "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: c, image: i}]}}"
		if file == "notes.txt" {
			text = "no manifest"
		}
		g.Expect(os.WriteFile(filepath.Join(folder, file), []byte(text), 0o644)).To(Succeed())
	}
	read := func(args ...string) (names []string) {
		for _, p := range predicted(t, args...).Workloads {
			name, err := filepath.Rel(folder, p.File)
			g.Expect(err).NotTo(HaveOccurred())
			names = append(names, name)
		}
		return names
	}
	g.Expect(read(folder)).To(Equal([]string{"a.yaml", "b.yml"}))
	g.Expect(read("-R", folder)).To(Equal([]string{"a.yaml", "b.yml", "below/c.json"}))
	g.Expect(read("-f", below)).To(Equal([]string{"below/c.json"}))
	g.Expect(os.Symlink(below, filepath.Join(folder, "link"))).To(Succeed())
	g.Expect(read(filepath.Join(folder, "link"))).To(Equal([]string{"link/c.json"}))
	g.Expect(os.Remove(filepath.Join(below, "c.json"))).To(Succeed())
	got := call(t.Context(), "predict", below)
	g.Expect(got.code).To(Equal(shell.Failed))
	g.Expect(got.log).To(ContainSubstring("no .yaml, .yml or .json file in " + below + ": -R reads"))
}

// Programs that read the output see why a manifest was refused.
func TestPredictRefusesInTheAskedFormat(t *testing.T) {
	g := NewWithT(t)
	wrong := []string{manifestFile(t, "{apiVersion: v1, kind: Pot}"), manifestFile(t, "a: [")}
	report := call(t.Context(), append([]string{"predict", "-o", "sarif"}, wrong...)...)
	g.Expect(report.code).To(Equal(shell.Failed))
	var s struct {
		Runs []struct {
			Results     []any
			Invocations []struct {
				ExecutionSuccessful        bool
				ToolExecutionNotifications []struct{ Message struct{ Text string } }
			}
		}
	}
	g.Expect(json.Unmarshal([]byte(report.out), &s)).To(Succeed(), report.out)
	g.Expect(s.Runs[0].Results).To(BeEmpty())
	g.Expect(s.Runs[0].Invocations[0].ExecutionSuccessful).To(BeFalse())
	notes := s.Runs[0].Invocations[0].ToolExecutionNotifications
	g.Expect(notes).To(HaveLen(2), "one of each manifest")
	g.Expect(notes[0].Message.Text).To(ContainSubstring("Pot"))

	missingFile := filepath.Join(t.TempDir(), "missing.yaml")
	missing := call(t.Context(), "predict", "-o", "sarif", missingFile)
	g.Expect(missing.out).To(ContainSubstring("no such file"))
	full, err := sarif.FromBytes([]byte(missing.out))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(full.Validate()).To(Succeed())

	for _, args := range [][]string{wrong, {manifestFile(t, "# nothing\n"), missingFile}} {
		var refused v1alpha1.Prediction
		data := call(t.Context(), append([]string{"predict", "-o", "json"}, args...)...)
		g.Expect(data.code).To(Equal(shell.Failed))
		g.Expect(json.Unmarshal([]byte(data.out), &refused)).To(Succeed(), data.out)
		g.Expect(refused.Kind).To(Equal(v1alpha1.Kind))
		g.Expect(refused.Problems).NotTo(BeEmpty())
		for _, p := range refused.Problems {
			g.Expect(p.Message).NotTo(BeEmpty())
		}
		var diff v1alpha1.Diff
		data = call(t.Context(), append([]string{"predict", "diff", "-o", "json"}, args...)...)
		g.Expect(data.code).To(Equal(shell.Failed))
		g.Expect(json.Unmarshal([]byte(data.out), &diff)).To(Succeed(), data.out)
		g.Expect(diff.Kind).To(Equal(v1alpha1.DiffKind))
		g.Expect(diff.Problems).NotTo(BeEmpty())
	}
	g.Expect(call(t.Context(), append([]string{"predict"}, wrong...)...).out).To(BeEmpty())
}

// A level of the user's decides whether the program fails.
func TestSeverity(t *testing.T) {
	g := NewWithT(t)
	file := manifestFile(t, hung)
	got := call(t.Context(), "predict", file, "--severity=hook-equals-grace=note", "--fail-on=warning")
	g.Expect(got.code).To(Equal(shell.Succeeded), got.log)
	g.Expect(got.out).To(ContainSubstring("note: "))
}

// The pod templates of a custom resource are predicted, and compared, where the user names their path.
func TestTemplatePath(t *testing.T) {
	g := NewWithT(t)
	widget := func(seconds string) string {
		return manifestFile(t, "{apiVersion: example.com/v1, kind: Widget, metadata: {name: web}, spec: {pod: "+
			"{spec: {terminationGracePeriodSeconds: "+seconds+", containers: [{name: app, image: app}]}}}}")
	}
	const path = "--template-path=example.com/Widget=.spec.pod"
	g.Expect(predicted(t, widget("30")).Workloads).To(BeEmpty())
	w := predicted(t, widget("30"), path).Workloads
	g.Expect(w).To(HaveExactElements(HaveField("Kind", "Widget")))
	g.Expect(w[0].Containers[0].Causes).
		To(ContainElement(And(HaveField("Cause", "delete"), HaveField("GraceSeconds", 30.0))))
	got := call(t.Context(), "predict", "diff", widget("30"), widget("60"), path)
	g.Expect(got.out).To(ContainSubstring("Widget web: changed"), got.log)
}

// Nothing was read, so nothing is known to be good.
func TestEmptyInputIsNoSuccess(t *testing.T) {
	g := NewWithT(t)
	empty := manifestFile(t, "---\n# nothing\n")
	for _, args := range [][]string{
		{empty}, {empty, "-o", "json"}, {empty, "-o", "yaml"}, {empty, "-o", "sarif"}, {"diff", empty, empty},
		{"diff", empty, empty, "-o", "json"},
	} {
		got := call(t.Context(), append([]string{"predict", "--fail-on=note"}, args...)...)
		g.Expect(got.code).To(Equal(shell.Failed), "%v", args)
		g.Expect(got.log).To(ContainSubstring("empty?"), "%v", args)
		if slices.Contains(args, "-o") {
			g.Expect(got.out).To(ContainSubstring("empty?"), "%v", args)
		} else {
			g.Expect(got.out).To(BeEmpty(), "%v", args)
		}
	}
	one := call(t.Context(), "predict", "diff", empty, manifestFile(t, hung))
	g.Expect(one.code).To(Equal(shell.Succeeded), "everything was added")
}

func TestSchemas(t *testing.T) {
	g := NewWithT(t)
	g.Expect(call(t.Context(), "predict", "--schema").out).To(Equal(v1alpha1.Schema))
	g.Expect(call(t.Context(), "predict", "diff", "--schema").out).To(Equal(v1alpha1.DiffSchema))
}

// The pod has a hook of its whole grace period. Its author can mean that.
func TestIgnoredFindings(t *testing.T) {
	g := NewWithT(t)
	annotated := strings.Replace(hung, "metadata: {name: web}",
		`metadata: {name: web, annotations: {podclock/ignore-hook-equals-grace: "it is a test"}}`, 1)
	configuration := manifestFile(t, "apiVersion: podclock.dev/v1alpha1\nkind: PredictConfiguration\n"+
		"ignore: [{rule: hook-equals-grace, reason: it is a test}]\n")
	for name, args := range map[string][]string{
		"flag":          {manifestFile(t, hung), "--ignore=hook-equals-grace"},
		"annotation":    {manifestFile(t, annotated)},
		"configuration": {manifestFile(t, hung), "--config=" + configuration},
	} {
		kind := map[bool]string{true: "inSource", false: "external"}[name == "annotation"]
		got := call(t.Context(), append([]string{"predict", "--fail-on=warning"}, args...)...)
		g.Expect(got.code).To(Equal(shell.Succeeded), name)
		g.Expect(got.out).To(And(Not(ContainSubstring("hook-equals-grace")), ContainSubstring("(1 ignored)")), name)
		g.Expect(call(t.Context(), append([]string{"predict", "--all"}, args...)...).out).
			To(ContainSubstring("[hook-equals-grace], because: "), name)
		var report sarif.Report
		g.Expect(json.Unmarshal([]byte(call(t.Context(), append([]string{"predict", "-o", "sarif"}, args...)...).out),
			&report)).To(Succeed())
		g.Expect(report.Runs[0].Results).
			To(ContainElement(And(HaveField("RuleID", HaveValue(Equal("hook-equals-grace"))),
				HaveField("Suppressions", HaveExactElements(HaveField("Kind", HaveValue(Equal(kind))))))), name)
	}
	g.Expect(call(t.Context(), "predict", "--fail-on=warning", manifestFile(t, hung)).code).To(Equal(FoundSome))
	g.Expect(call(t.Context(), "predict", "--ignore=nothing", manifestFile(t, hung)).log).
		To(ContainSubstring("bad --ignore: there is no rule \"nothing\""))
}

// The findings of a baseline are ignored, whatever else changes in the manifest. New ones are not.
func TestBaseline(t *testing.T) {
	g := NewWithT(t)
	t.Chdir(t.TempDir())
	save := func(file, text string) { g.Expect(os.WriteFile(file, []byte(text), 0o600)).To(Succeed()) }
	save("web.yaml", hung)
	got := call(t.Context(), "predict", "web.yaml", "--write-baseline")
	g.Expect(got.code).To(Equal(shell.Failed))
	g.Expect(got.log).To(ContainSubstring("--write-baseline needs a file: name it with --baseline, or as baseline in "))

	save(".podclock.yaml", "apiVersion: podclock.dev/v1alpha1\nkind: PredictConfiguration\nbaseline: known.yaml\n")
	got = call(t.Context(), "predict", "web.yaml", "--write-baseline", "--fail-on=note")
	g.Expect(got.code).To(Equal(shell.Succeeded), got.log)
	g.Expect(got.log).To(Equal("known.yaml has 2 known findings now.\n"))
	g.Expect(got.out).To(ContainSubstring("(2 ignored)"))
	g.Expect(os.ReadFile("known.yaml")).To(BeEquivalentTo(`# Findings that podclock predict ignores. It writes this ` +
		`file with --write-baseline.
apiVersion: podclock.dev/v1alpha1
kind: PredictBaseline
findings:
- rule: hook-equals-grace
  object: Pod web
  field: spec.containers[app].lifecycle.preStop.sleep
- rule: grace-above-eviction
  object: Pod web
  field: spec.terminationGracePeriodSeconds
`))

	const before = "  containers:\n"
	save("web.yaml", strings.Replace(hung, before, before+"  - {name: log, image: log}\n", 1))
	save("old.yaml", strings.Replace(hung, "sleep: {seconds: 20}", "sleep: {seconds: 2}", 1))
	got = call(t.Context(), "predict", "web.yaml", "--fail-on=note")
	g.Expect(got.code).To(Equal(shell.Succeeded), got.out)
	g.Expect(got.log).To(BeEmpty())
	g.Expect(call(t.Context(), "predict", "diff", "old.yaml", "web.yaml", "--fail-on=note").code).
		To(Equal(shell.Succeeded))
	ignored := predicted(t, "web.yaml").Workloads[0].IgnoredFindings
	g.Expect(ignored).To(HaveLen(2))
	g.Expect(ignored).To(HaveEach(HaveField("Reason", "it is in the baseline known.yaml")))
	var report sarif.Report
	g.Expect(json.Unmarshal([]byte(call(t.Context(), "predict", "web.yaml", "-o", "sarif").out), &report)).To(Succeed())
	g.Expect(report.Runs[0].Results).To(HaveLen(2))
	g.Expect(report.Runs[0].Results).To(HaveEach(HaveField("Suppressions",
		HaveExactElements(HaveField("Kind", HaveValue(Equal("external")))))))

	save("other.yaml", strings.Replace(hung, "{name: web}", "{name: other}", 1))
	got = call(t.Context(), "predict", "other.yaml", "--fail-on=note")
	g.Expect(got.code).To(Equal(FoundSome), "the same finding of another object is new")
	g.Expect(got.log).To(BeEmpty(), "the known object may be in another manifest")
	g.Expect(call(t.Context(), "predict", "diff", "web.yaml", "other.yaml", "--fail-on=note").code).
		To(Equal(FoundSome))
	const unfit = "known.yaml: Pod web has no finding hook-equals-grace at " +
		"spec.containers[app].lifecycle.preStop.sleep any more: remove the entry, or write the baseline again\n"
	g.Expect(call(t.Context(), "predict", "old.yaml").log).To(Equal(unfit))
	g.Expect(call(t.Context(), "predict", "diff", "web.yaml", "old.yaml").log).To(Equal(unfit))
	g.Expect(call(t.Context(), "predict", "old.yaml", "web.yaml").log).To(BeEmpty(), "one of the two has the finding")
}
