package request

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/spf13/pflag"

	"github.com/podclock/podclock/harness/predict/findings"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
)

const head = "apiVersion: podclock.dev/v1alpha1\nkind: PredictConfiguration\n"

// whole sets everything that a file can.
const whole = head + `kubernetes: v1.34.4
kubeletConfig: kubelet.yaml
ignore:
- {rule: grace-zero, reason: no connections}
severities: {one-failure-kills: error, grace-one: note}
templatePaths: [example.com/Widget=.spec.template]
presets: [aws-spot, cluster-autoscaler=5m]
`

const kubeletFile = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nsyncFrequency: 7s\n"

// resolved reads flags in the current folder.
func resolved(args ...string) (Resolved, error) {
	var r Request
	flags := pflag.NewFlagSet("predict", pflag.ContinueOnError)
	r.AddFlags(flags)
	if err := flags.Parse(args); err != nil {
		return Resolved{}, err
	}
	return r.Resolve(flags)
}

func save(t *testing.T, file, text string) {
	t.Helper()
	NewWithT(t).Expect(os.MkdirAll(filepath.Dir(file), 0o700)).To(Succeed())
	NewWithT(t).Expect(os.WriteFile(file, []byte(text), 0o600)).To(Succeed())
}

func TestBaseline(t *testing.T) {
	g := NewWithT(t)
	t.Chdir(t.TempDir())
	save(t, ".git/HEAD", "")
	save(t, FileName, head+"baseline: ci/known.yaml\n")
	save(t, "deploy/web.yaml", "")
	t.Chdir("deploy")
	_, err := resolved()
	g.Expect(err).To(MatchError("read the baseline: open ../ci/known.yaml: no such file or directory: podclock " +
		"predict --write-baseline writes it"))
	g.Expect(os.Mkdir("../ci", 0o700)).To(Succeed())
	written := findings.Baseline{File: "../ci/known.yaml", Known: []findings.Known{
		{Rule: "grace-one", Object: "Pod *", Field: "spec.containers[app].livenessProbe"},
	}}
	g.Expect(WriteBaseline(written)).To(Succeed())
	r, err := resolved()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.Baseline).To(Equal(written), "its path is relative to the configuration's folder")
	save(t, "own.yaml", "apiVersion: podclock.dev/v1alpha1\nkind: PredictBaseline\nfindings: []\n")
	r, err = resolved("--baseline=own.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.Baseline).To(Equal(findings.Baseline{File: "own.yaml", Known: []findings.Known{}}))

	g.Expect(WriteBaseline(findings.Baseline{File: "none.yaml"})).To(Succeed())
	g.Expect(os.ReadFile("none.yaml")).To(HaveSuffix("kind: PredictBaseline\nfindings: []\n"))
	g.Expect(WriteBaseline(findings.Baseline{File: "none/known.yaml"})).
		To(MatchError(HavePrefix("write the baseline: open none/known.yaml: ")))
	save(t, "wrong.yaml", "apiVersion: podclock.dev/v1alpha1\nkind: PredictBaseline\nfindings: [{line: 3}]\n")
	_, err = resolved("--baseline=wrong.yaml")
	g.Expect(err).To(MatchError("wrong.yaml: line 3: unknown field line"))
	save(t, "wrong.yaml", head)
	_, err = resolved("--baseline=wrong.yaml")
	g.Expect(err).To(MatchError(ContainSubstring("they must be podclock.dev/v1alpha1 and PredictBaseline")))
}

func TestFileCompletesFlags(t *testing.T) {
	g := NewWithT(t)
	t.Chdir(t.TempDir())
	save(t, ".git/HEAD", "")
	save(t, FileName, whole)
	save(t, "kubelet.yaml", kubeletFile)
	g.Expect(os.MkdirAll("deploy/web", 0o700)).To(Succeed())
	t.Chdir("deploy/web") // paths of the file are relative to its folder
	r, err := resolved()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.Kubelet.Version).To(Equal("v1.34.4"))
	g.Expect(r.Kubelet.SyncFrequency.Seconds()).To(BeEquivalentTo(7))
	g.Expect(r.Options.Findings).To(Equal(findings.Policy{
		Ignored: map[string]string{"grace-zero": "no connections"},
		Levels:  map[string]findings.Level{"one-failure-kills": findings.Error, "grace-one": findings.Note},
	}))
	widget := manifest.Template{Group: "example.com", Kind: "Widget", Path: "spec.template"}
	g.Expect(r.Templates).To(Equal([]manifest.Template{widget}))
	limit := func(name string, limit time.Duration) OmegaMatcher {
		return And(HaveField("Name", name), HaveField("Limit", limit))
	}
	g.Expect(r.Options.Presets).
		To(HaveExactElements(limit("aws-spot", 2*time.Minute), limit("cluster-autoscaler", 5*time.Minute)))

	save(t, "other.yaml", strings.Replace(kubeletFile, "7s", "8s", 1))
	r, err = resolved("--kubernetes=v1.35.4", "--kubelet-config=other.yaml", "--ignore=grace-one",
		"--ignore=grace-zero", "--severity=grace-one=warning", "--template-path=example.com/Gadget=.spec.pod",
		"--preset=cluster-autoscaler=7m", "--preset=gce-spot")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.Kubelet.Version).To(Equal("v1.35.4"))
	g.Expect(r.Kubelet.SyncFrequency.Seconds()).To(BeEquivalentTo(8))
	g.Expect(r.Options.Findings).To(Equal(findings.Policy{
		Ignored: map[string]string{"grace-zero": "no connections", "grace-one": "it is in --ignore"},
		Levels:  map[string]findings.Level{"one-failure-kills": findings.Error, "grace-one": findings.Warning},
	}))
	g.Expect(r.Templates).To(HaveExactElements(HaveField("Kind", "Gadget"), Equal(widget)))
	g.Expect(r.Options.Presets).To(HaveExactElements(limit("aws-spot", 2*time.Minute),
		limit("cluster-autoscaler", 7*time.Minute), limit("gce-spot", 30*time.Second)))
}

// A file above the repository belongs to something else.
func TestNearestFile(t *testing.T) {
	g := NewWithT(t)
	versionIn := func(folder string, args ...string) string {
		t.Chdir(folder)
		r, err := resolved(args...)
		g.Expect(err).NotTo(HaveOccurred())
		return r.Kubelet.Version
	}
	usual, root := versionIn(t.TempDir()), t.TempDir()
	of := func(version string) string { return head + "kubernetes: " + version + "\n" }
	save(t, filepath.Join(root, FileName), of("v1.30.0"))
	save(t, filepath.Join(root, "repository/deploy/web/web.yaml"), "")
	deploy := filepath.Join(root, "repository/deploy")
	g.Expect(versionIn(root)).To(Equal("v1.30.0"), "the current folder's")
	g.Expect(versionIn(deploy)).To(Equal(usual), "there is no repository")
	save(t, filepath.Join(root, "repository/.git"), "gitdir: elsewhere") // as in a worktree
	g.Expect(versionIn(deploy)).To(Equal(usual), "the file is above the repository")
	save(t, filepath.Join(root, "repository", FileName), of("v1.31.0"))
	g.Expect(versionIn(deploy)).To(Equal("v1.31.0"), "the repository's")
	save(t, filepath.Join(deploy, FileName), of("v1.32.0"))
	g.Expect(versionIn(filepath.Join(deploy, "web"))).To(Equal("v1.32.0"), "a nearer one")
	g.Expect(versionIn(deploy, "--config=../"+FileName)).To(Equal("v1.31.0"), "the named one")
}

func TestWrongRequests(t *testing.T) {
	g := NewWithT(t)
	t.Chdir(t.TempDir())
	for _, wrong := range [][2]string{
		{"ignored: []", ": line 3: unknown field ignored"},
		{"ignore: grace-zero", ": line 3: `grace-zero` is not a list"},
		{"ignore:\n- rules: a", ": line 4: unknown field rules"},
		{"kubernetes: [v1.34.4]", ": line 3: is not a string"},
		{"severities: error", ": line 3: `error` is not a mapping"},
		{"kind: Two", `: line 3: mapping key "kind" already defined at line 2`},
		{"---\n" + head, " has more than one document"},
		{"ignore: [{rule: grace-null, reason: a}]", `: ignore[0]: there is no rule "grace-null"`},
		{"ignore: [{rule: grace-zero}]", ": ignore[0]: grace-zero is ignored without a reason"},
		{"severities: {a: error}", `: severities: there is no rule "a"`},
		{"severities: {grace-zero: bad}", `: severities: grace-zero is "bad": it must be error, warning or note`},
		{"kubernetes: latest", ": kubernetes=latest: it is a release such as"},
		{"kubeletConfig: none.yaml", ": kubeletConfig=none.yaml: open none.yaml"},
		{"presets: aws-spot", ": line 3: `aws-spot` is not a list"},
		{"presets: [aws]", `: presets: "aws": there is no such preset; there are aws-spot, gce-spot`},
		{"templatePaths: [Widget=.spec]", `: templatePaths: "Widget=.spec": name a custom resource`},
	} {
		save(t, FileName, head+wrong[0]+"\n")
		_, err := resolved()
		g.Expect(err).To(MatchError(ContainSubstring(FileName + wrong[1])))
	}
	for text, says := range map[string]string{
		"":                              `the apiVersion "" and the kind "": they must be podclock.dev/v1alpha1`,
		"apiVersion: podclock.dev/v1\n": `the apiVersion "podclock.dev/v1" and the kind ""`,
	} {
		save(t, FileName, text)
		_, err := resolved()
		g.Expect(err).To(MatchError(ContainSubstring(says)))
	}
	g.Expect(os.Remove(FileName)).To(Succeed())
	for flag, says := range map[string]string{
		"--config=none.yaml":           "read the configuration: open none.yaml",
		"--severity=grace-zero=fatal":  `bad --severity: grace-zero is "fatal"`,
		"--severity=a=error":           `bad --severity: there is no rule "a"`,
		"--template-path=Widget=.spec": `bad --template-path="Widget=.spec": name a custom resource`,
		"--ignore=grace-null":          `bad --ignore: there is no rule "grace-null"`,
		"--preset=aws":                 `bad --preset="aws": there is no such preset; there are aws-spot, gce-spot`,
		"--preset=karpenter":           `bad --preset="karpenter" has no default`,
	} {
		_, err := resolved(flag)
		g.Expect(err).To(MatchError(HavePrefix(says)))
	}
}

// A preset of nodes that shut down gracefully has their groups, unless the kubelet's configuration has its own.
func TestShutdownGroups(t *testing.T) {
	g := NewWithT(t)
	t.Chdir(t.TempDir())
	const head = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
	for _, c := range []struct {
		configuration string
		args          []string
		seconds       []int64
	}{
		{"", nil, nil},
		{"", []string{"--preset=aws-spot"}, nil},
		{"", []string{"--preset=gke-spot"}, []int64{15, 15}},
		{"shutdownGracePeriod: 60s\n", []string{"--preset=gke-spot"}, []int64{60, 0}},
		{"shutdownGracePeriod: 60s\nshutdownGracePeriodCriticalPods: 20s\n", nil, []int64{40, 20}},
		{"shutdownGracePeriodByPodPriority: [{priority: 9, shutdownGracePeriodSeconds: 7}, " +
			"{priority: 1, shutdownGracePeriodSeconds: 5}]\n", nil, []int64{5, 7}},
	} {
		save(t, "kubelet.yaml", head+c.configuration)
		r, err := resolved(append(c.args, "--kubelet-config=kubelet.yaml")...)
		g.Expect(err).NotTo(HaveOccurred())
		var seconds []int64
		for _, group := range r.Kubelet.ShutdownGroups {
			seconds = append(seconds, group.Seconds)
		}
		g.Expect(seconds).To(Equal(c.seconds), "%s %v", c.configuration, c.args)
	}
	const byPriority = "shutdownGracePeriodByPodPriority: [{priority: 0, shutdownGracePeriodSeconds: 5}]\n"
	for configuration, says := range map[string]string{
		"shutdownGracePeriod: 10s\nshutdownGracePeriodCriticalPods: 20s\n": "(20s) is part of " +
			"shutdownGracePeriod (10s)",
		"shutdownGracePeriod: 500ms\n":            "are 0s, or 1s at least",
		byPriority + "shutdownGracePeriod: 10s\n": "not both",
		"shutdownGracePeriod: 10s\nfeatureGates: {GracefulNodeShutdown: false}\n": "needs the feature gate " +
			"GracefulNodeShutdown",
		byPriority + "featureGates: {GracefulNodeShutdownBasedOnPodPriority: false}\n": "needs the feature gate " +
			"GracefulNodeShutdownBasedOnPodPriority",
	} {
		save(t, "kubelet.yaml", head+configuration)
		_, err := resolved("--kubelet-config=kubelet.yaml")
		g.Expect(err).To(MatchError(And(HavePrefix("--kubelet-config=kubelet.yaml: no kubelet starts with it: "),
			ContainSubstring(says))), configuration)
	}
	save(t, "kubelet.yaml", head+byPriority)
	_, err := resolved("--kubelet-config=kubelet.yaml", "--kubernetes="+formula.OldestKnown)
	g.Expect(err).To(MatchError(ContainSubstring("needs the feature gate")), "the gate came in v1.23")
}
