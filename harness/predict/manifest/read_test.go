package manifest

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/client-go/kubernetes/scheme"
)

// container is the minimum of a pod's spec.
const container = "containers: [{name: app, image: app}]"

func read(text, name string) (Manifest, error) { return Read(strings.NewReader(text), name) }

// problems returns the problems of a text.
func problems(t *testing.T, text string) []Problem {
	t.Helper()
	g := NewWithT(t)
	m, err := read(text, "")
	var invalid *Invalid
	g.Expect(errors.As(err, &invalid)).To(BeTrue(), "%v", err)
	g.Expect(m).To(Equal(Manifest{}), "a failed read returns no objects")
	return invalid.Problems
}

func TestEveryKindThatMakesPods(t *testing.T) {
	template := "template: {spec: {" + container + "}}"
	job := "template: {spec: {restartPolicy: Never, " + container + "}}"
	seen := map[string]bool{}
	for _, c := range []struct{ version, kind, spec, path string }{
		{"v1", "Pod", container, "spec"},
		{"v1", "ReplicationController", template, "spec.template.spec"},
		{"apps/v1", "Deployment", template, "spec.template.spec"},
		{"apps/v1beta1", "Deployment", template, "spec.template.spec"},
		{"apps/v1beta2", "Deployment", template, "spec.template.spec"},
		{"extensions/v1beta1", "Deployment", template, "spec.template.spec"},
		{"apps/v1", "StatefulSet", template, "spec.template.spec"},
		{"apps/v1beta1", "StatefulSet", template, "spec.template.spec"},
		{"apps/v1beta2", "StatefulSet", template, "spec.template.spec"},
		{"apps/v1", "DaemonSet", template, "spec.template.spec"},
		{"apps/v1beta2", "DaemonSet", template, "spec.template.spec"},
		{"extensions/v1beta1", "DaemonSet", template, "spec.template.spec"},
		{"apps/v1", "ReplicaSet", template, "spec.template.spec"},
		{"apps/v1beta2", "ReplicaSet", template, "spec.template.spec"},
		{"extensions/v1beta1", "ReplicaSet", template, "spec.template.spec"},
		{"batch/v1", "Job", job, "spec.template.spec"},
		{"batch/v1", "CronJob", "jobTemplate: {spec: {" + job + "}}", "spec.jobTemplate.spec.template.spec"},
		{"batch/v1beta1", "CronJob", "jobTemplate: {spec: {" + job + "}}", "spec.jobTemplate.spec.template.spec"},
	} {
		g := NewWithT(t)
		m, err := read(
			fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata: {name: web, namespace: shop}\nspec: {%s}\n", c.version,
				c.kind, c.spec),
			"",
		)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(m.Objects).To(HaveLen(1))
		o := m.Objects[0]
		g.Expect([]string{o.APIVersion, o.Kind, o.Namespace, o.Name, o.PodPath}).
			To(Equal([]string{c.version, c.kind, "shop", "web", c.path}))
		g.Expect(o.Document).To(Equal(1))
		g.Expect(o.Line).To(Equal(1))
		g.Expect(o.Pod.Spec.Containers[0].Name).To(Equal("app"))
		g.Expect(o.Pod.Spec.TerminationGracePeriodSeconds).To(HaveValue(Equal(int64(30))), "defaults are filled in")
		seen[c.version+" "+c.kind] = true
	}
	t.Run("and no other that client-go knows", func(t *testing.T) {
		for kind := range scheme.Scheme.AllKnownTypes() {
			object, err := scheme.Scheme.New(kind)
			NewWithT(t).Expect(err).NotTo(HaveOccurred())
			if _, makesPods := workloadOf(object); makesPods {
				NewWithT(t).Expect(seen).To(HaveKey(kind.GroupVersion().String() + " " + kind.Kind))
			}
		}
	})
}

func TestStreams(t *testing.T) {
	pod := func(name string) string {
		return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\nspec: {" + container + "}\n"
	}
	for name, c := range map[string]struct {
		text string
		// want are the pods, as document:line name
		want    []string
		skipped []Skipped
	}{
		"nothing": {text: ""},
		"comments before it": {text: "# a\n\n  # b\n" + pod("a") + "---\n# c\n" + pod("b"),
			want: []string{"1:4 a", "2:10 b"}},
		"carriage returns alone": {text: strings.ReplaceAll("# a\n"+pod("a"), "\n", "\r"),
			want: []string{"1:1 a"}},
		"comments only": {text: "# a\n---\n# b\n---\n\n"},
		"documents": {text: pod("a") + "---\n" + pod("b") + "---\n" + pod("c"),
			want: []string{"1:1 a", "2:6 b", "3:11 c"}},
		"empty documents": {
			text: "---\n---\n# none\n---\n" + pod("a") + "---\n---\n" + pod("b") + "---\n",
			want: []string{"1:5 a", "2:11 b"},
		},
		"a separator with a comment": {text: pod("a") + "--- # next\n" + pod("b"), want: []string{"1:1 a", "2:6 b"}},
		"an end of a document":       {text: pod("a") + "...\n" + pod("b"), want: []string{"1:1 a", "2:6 b"}},
		"a null":                     {text: "null\n---\n" + pod("a"), want: []string{"2:3 a"}},
		"a directive":                {text: "%YAML 1.1\n---\n" + pod("a"), want: []string{"1:3 a"}},
		"lines that end as Windows'": {text: strings.ReplaceAll(pod("a")+"---\n"+pod("b"), "\n", "\r\n"),
			want: []string{"1:1 a", "2:6 b"}},
		"a byte order mark": {text: "\uFEFF" + pod("a"), want: []string{"1:1 a"}},
		"JSON": {text: `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, ` +
			`"spec": {"containers": [{"name": "app", "image": "i"}]}}`, want: []string{"1:1 a"}},
		"one name left to the server": {text: strings.Replace(pod("a"), "name: a}", "generateName: a-}", 1),
			want: []string{"1:1 a-*"}},
		"a stream of JSON": {
			text: strings.Repeat("\n"+`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, `+"\n"+
				`"spec": {"containers": [{"name": "app", "image": "i"}]}}`, 2),
			want: []string{"1:2 a", "2:4 a"},
		},
		"others": {
			text: pod("a") + "---\napiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {}\n---\napiVersion: " +
				"apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n" +
				"---\napiVersion: v1\nkind: Service\nnot: read\n",
			want:    []string{"1:1 a"},
			skipped: []Skipped{{Kind: "CustomResourceDefinition", Count: 1}, {Kind: "Service", Count: 2}},
		},
		"a list": {
			text: "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n  " +
				"spec: {" + container + "}\n- {apiVersion: v1, kind: Secret}\n" +
				"- apiVersion: v1\n  kind: Pod\n  metadata: {name: b}\n  spec: {" + container + "}\n",
			want: []string{"1:4 a", "1:9 b"}, skipped: []Skipped{{Kind: "Secret", Count: 1}},
		},
		"a list of pods": {
			text: "apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: a}\n  spec: {" + container + "}\n",
			want: []string{"1:4 a"},
		},
		"a version that Kubernetes has no longer": {
			text: "apiVersion: autoscaling/v2beta2\nkind: HorizontalPodAutoscaler\nspec: {maxReplicas: 3}\n---\n" + pod("a"),
			want: []string{"2:5 a"}, skipped: []Skipped{{Kind: "HorizontalPodAutoscaler of autoscaling/v2beta2",
				Count: 1}},
		},
		"a list of others": {
			text:    "apiVersion: v1\nkind: ServiceList\nitems:\n- metadata: {name: a}\n- metadata: {name: b}\n",
			skipped: []Skipped{{Kind: "Service", Count: 2}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			m, err := read(c.text, "")
			g.Expect(err).NotTo(HaveOccurred())
			var got []string
			for _, o := range m.Objects {
				got = append(got, fmt.Sprintf("%d:%d %s", o.Document, o.Line, o.Name))
			}
			g.Expect(got).To(Equal(c.want))
			g.Expect(m.Skipped).To(Equal(c.skipped))
		})
	}
}

func TestProblems(t *testing.T) {
	head := "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
	for name, c := range map[string]struct{ text, want string }{
		"no YAML": {"a: 1\n---\nb: [1\nc: 2\n", `document 2, line 3: invalid YAML: did not find ` +
			`expected ',' or ']'`},
		"no JSON": {`{"apiVersion": "v1",`, `document 1, line 1: invalid YAML: `},
		"a key twice": {head + "spec:\n  " + container + "\n  " + container + "\n",
			`document 1, line 6: invalid YAML: key "containers" already set in map`},
		"a field twice in JSON": {`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": ` +
			`{"containers": [{"name": "c", "image": "i", "image": "j"}]}}`,
			`document 1, line 1: Pod a: spec.containers[0].image: is set twice`},
		"no object": {"- a\n- b\n", `document 1, line 1: not an object: `},
		"a word":    {"hello\n", `document 1, line 1: not an object: `},
		"no kind": {"apiVersion: v1\nmetadata: {}\n",
			`document 1, line 1: kind: is missing: every object has apiVersion and kind`},
		"an empty kind": {"apiVersion: v1\nkind: ''\n", `document 1, line 2: kind: is empty: every ` +
			`object has apiVersion and kind`},
		"a kind that is a number": {"apiVersion: v1\nkind: 5\n", `document 1, line 2: kind: is 5, not a string: ` +
			`put it into quotes`},
		"a version that is none": {"apiVersion: a/b/c\nkind: Pod\n",
			`document 1, line 1: apiVersion: unexpected GroupVersion string: a/b/c`},
		"an unknown kind": {"apiVersion: v1\nkind: Pud\nmetadata: {name: a}\n",
			`document 1, line 2: Pud a: kind: Kubernetes has no kind Pud in v1`},
		"a group with too much": {"apiVersion: batch.k8s.io/v1\nkind: Job\nmetadata: {name: a}\n",
			`document 1, line 2: Job a: kind: Kubernetes has no kind Job in batch.k8s.io/v1, but Job of batch/v1`},
		"a misspelled group": {"apiVersion: network/v1\nkind: Ingress\nmetadata: {name: a}\n",
			`document 1, line 2: Ingress a: kind: Kubernetes has no kind Ingress in network/v1, but Ingress of ` +
				`extensions/v1beta1, Ingress of networking.k8s.io/v1, Ingress of networking.k8s.io/v1beta1`},
		"a kind in another version": {"apiVersion: v1\nkind: deployment\n",
			`document 1, line 2: deployment: kind: Kubernetes has no kind deployment in v1, but Deployment of ` +
				`apps/v1, Deployment of apps/v1beta1`},
		"an unknown field": {head + "spec:\n  containers:\n  - name: c\n    image: i\n    livenesProbe: {}\n",
			`document 1, line 8: Pod a: spec.containers[0].livenesProbe: unknown field; did you mean livenessProbe?`},
		"a field like no other": {head + "spec:\n  " + container + "\n  weight: 1\n",
			`document 1, line 6: Pod a: spec.weight: unknown field`},
		"a string for a number": {head + "spec:\n  containers:\n  - name: c\n    image: i\n  - name: d\n    " +
			"livenessProbe:\n      exec: {command: [a]}\n      periodSeconds: ten\n",
			`document 1, line 11: Pod a: spec.containers[1].livenessProbe.periodSeconds: is a string, but must be ` +
				`a whole number (int32)`},
		"a fraction": {head + "spec:\n  terminationGracePeriodSeconds: 1.5\n  " + container + "\n",
			`document 1, line 5: Pod a: spec.terminationGracePeriodSeconds: is number 1.5, but must be a whole ` +
				`number (int64)`},
		"a number out of range": {head + "spec:\n  terminationGracePeriodSeconds: 99999999999999999999\n  " +
			container + "\n",
			`document 1, line 5: Pod a: spec.terminationGracePeriodSeconds: `},
		"a number for a string": {"apiVersion: v1\nkind: Pod\nmetadata: {name: 5}\n",
			`document 1, line 3: Pod: metadata.name: is a number, but must be a string: put it into quotes`},
		"a list for an object": {head + "spec: []\n", `document 1, line 4: Pod a: spec: is a list, but must ` +
			`be an object`},
		"no quantity": {head + "spec:\n  containers: [{name: c, image: i, resources: {limits: " +
			"{memory: lots}}}]\n", `document 1, line 5: Pod a: spec.containers[0].resources.limits.memory: cannot ` +
			`be read: quantities must match`},
		"behind a separator": {"a: 1\n--- b: 2\n", `document 2, line 2: the document separator is followed ` +
			`by "b: 2": put it into a line of its own`},
		"an invalid pod": {head + "spec: {containers: [{name: app, image: i, livenessProbe: " +
			"{periodSeconds: 5}}]}\n", `document 1, line 4: Pod a: spec.containers[0].livenessProbe: Required ` +
			`value: must specify a handler type`},
		"in a template": {
			"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template:\n    spec:\n      " +
				"restartPolicy: Never\n      " + container + "\n",
			`document 1, line 7: Deployment web: spec.template.spec.restartPolicy: Unsupported value: "Never": ` +
				`supported values: "Always"`,
		},
		"in a list": {
			"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret}\n- apiVersion: v1\n  kind: Pod\n" +
				"  metadata: {name: a}\n  spec:\n    activeDeadlineSeconds: 0\n    " + container + "\n",
			`document 1, line 9: Pod a: items[1].spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 ` +
				`and 2147483647, inclusive`,
		},
		"behind an anchor": {
			"apiVersion: v1\nkind: Pod\nmetadata: {name: a, annotations: &none {}}\nspec:\n  containers:\n  - &c\n" +
				"    name: c\n    image: i\n    startupProbe: {failureThreshold: -1, exec: {command: [a]}}\n  - " +
				"<<: *c\n    name: d\n",
			`document 1, line 9: Pod a: spec.containers[1].startupProbe.failureThreshold: Invalid value: -1: must ` +
				`be greater than or equal to 0`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			all := problems(t, c.text)
			NewWithT(t).Expect(all[len(all)-1].String()).To(HavePrefix(c.want))
		})
	}
}

// Each row is fields of a Job that an API server refuses, the field, and the last reason.
func TestJobsAreRefused(t *testing.T) {
	const (
		rule  = "podFailurePolicy: {rules: [{"
		codes = rule + "action: Ignore, onExitCodes: {operator: In, values: "
	)
	for fields, want := range map[string][2]string{
		"backoffLimit: -1":              {"backoffLimit", "Invalid value: -1: must be greater than or equal to 0"},
		"ttlSecondsAfterFinished: -1":   {"ttlSecondsAfterFinished", "Invalid value: -1: must be greater"},
		"backoffLimitPerIndex: 1":       {"backoffLimitPerIndex", "Invalid value: 1: requires indexed"},
		"maxFailedIndexes: 1":           {"backoffLimitPerIndex", "Required value: when maxFailedIndexes"},
		codes + "[]}}]}":                {"podFailurePolicy.rules[0].onExitCodes.values", "Invalid value: []: at"},
		codes + "[0]}}]}":               {"podFailurePolicy.rules[0].onExitCodes.values", "Invalid value: [0]: must"},
		codes + "[4, 3]}}]}":            {"podFailurePolicy.rules[0].onExitCodes.values", "Invalid value: [4,3]: must"},
		rule + "action: Count}]}":       {"podFailurePolicy.rules[0]", "Invalid value: specifying one"},
		rule + "action: Stop" + on:      {"podFailurePolicy.rules[0].action", `Unsupported value: "Stop"`},
		rule + "action: FailIndex" + on: {"podFailurePolicy.rules[0].action", `Invalid value: "FailIndex": requires`},
	} {
		all := problems(t, "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {"+fields+
			", template: {spec: {restartPolicy: Never, "+container+"}}}\n")
		says := all[len(all)-1].String()
		NewWithT(t).Expect(says).To(ContainSubstring("spec."+want[0]+": "+want[1]), fields)
	}
}

// on completes a rule of a podFailurePolicy.
const on = ", onPodConditions: [{type: a}]}]}"

func TestAllProblemsAreReported(t *testing.T) {
	g := NewWithT(t)
	_, err := read(
		"apiVersion: v1\nkind: Pod\nmetadata: {}\nspec: {containers: [{name: a}, {name: a, image: i}]}\n---\n"+
			"kind: Pod\n",
		"web.yaml",
	)
	g.Expect(err).To(MatchError(`web.yaml: 4 problems; nothing is predicted until they are solved
  document 1, line 3: Pod: metadata.name: Required value: name or generateName is required
  document 1, line 4: Pod: spec.containers[0].image: Required value
  document 1, line 4: Pod: spec.containers[1].name: Duplicate value: "a"
  document 2, line 6: apiVersion: is missing: every object has apiVersion and kind`))

	_, err = read(strings.Repeat("kind: Pod\n---\n", 30), "")
	g.Expect(err.Error()).To(And(HavePrefix("manifest: 30 problems"), HaveSuffix("\n  and 10 more")))
	g.Expect(strings.Count(err.Error(), "\n")).To(Equal(21))
}

func TestCustomResourcesAreSkipped(t *testing.T) {
	g := NewWithT(t)
	m, err := read(
		"apiVersion: cert-manager.io/v1\nkind: Certificate\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"+
			"spec: {"+container+"}\n",
		"",
	)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(m.Objects).To(HaveLen(1))
	g.Expect(m.Skipped).To(Equal([]Skipped{{Kind: "Certificate", Unknown: true, Count: 1}}))
	_, err = read("apiVersion: apps/v1\nkind: Deploymnt\nmetadata: {name: a}\n", "")
	g.Expect(err).To(MatchError(ContainSubstring("Kubernetes has no kind Deploymnt in apps/v1")), "it is misspelled")
}

// A kind of Kubernetes and a custom one can share a name. Their order is always the same.
func TestSkippedKindsAreInOrder(t *testing.T) {
	text := "apiVersion: traefik.io/v1\nkind: Ingress\nmetadata: {name: a}\n---\n" +
		"apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: a}\n"
	for range 20 {
		m, err := read(text, "")
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		NewWithT(t).Expect(m.Skipped).To(Equal([]Skipped{
			{Kind: "Ingress", Count: 1}, {Kind: "Ingress of traefik.io", Unknown: true, Count: 1},
		}))
	}
}

// A StatefulSet's claims replace the volumes of their names, also those without a source, which would be emptyDirs.
func TestClaimsReplaceVolumes(t *testing.T) {
	g := NewWithT(t)
	m, err := read("{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a}, spec: {"+
		"selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {"+container+", "+
		"volumes: [{name: data}, {name: scratch}]}}, "+
		"volumeClaimTemplates: [{metadata: {name: data}, spec: {resources: {requests: {storage: 1Gi}}}}]}}", "")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(m.Objects[0].Pod.Spec.Volumes).To(HaveExactElements(And(HaveField("Name", "scratch"),
		HaveField("EmptyDir", Not(BeNil())))))
}

func TestAddCountsAKindOnce(t *testing.T) {
	m := Manifest{Skipped: []Skipped{{Kind: "Secret", Count: 1}}}
	m.Add(Manifest{Objects: make([]Object, 2), Skipped: []Skipped{
		{Kind: "Secret", Count: 2}, {Kind: "Secret", Unknown: true, Count: 1},
	}})
	NewWithT(t).Expect(m.Skipped).To(Equal([]Skipped{
		{Kind: "Secret", Count: 3}, {Kind: "Secret", Unknown: true, Count: 1},
	}))
	NewWithT(t).Expect(m.Objects).To(HaveLen(2))
}

func TestReadingFails(t *testing.T) {
	_, err := Read(io.MultiReader(strings.NewReader("a: 1\n"), failing{}), "web.yaml")
	NewWithT(t).Expect(err).To(MatchError("reading web.yaml: the disk is gone"))
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

func TestLinesOfFields(t *testing.T) {
	g := NewWithT(t)
	m, err := read(
		"# one\n---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  labels:\n    app.kubernetes.io/name: a\n"+
			"spec:\n  containers:\n  - name: c\n    image: i\n"+
			"    livenessProbe:\n      periodSeconds: 5\n      exec:\n        command:\n        - a\n",
		"",
	)
	g.Expect(err).NotTo(HaveOccurred())
	for path, line := range map[string]int{
		"":     3,
		"kind": 4,
		"metadata.labels[app.kubernetes.io/name]":         8,
		"spec.containers[0]":                              11,
		"spec.containers[0].livenessProbe":                13,
		"spec.containers[0].livenessProbe.periodSeconds":  14,
		"spec.containers[0].livenessProbe.timeoutSeconds": 13,
		"spec.containers[0].livenessProbe.exec.command":   16,
		"spec.containers[3].name":                         10,
		"spec.restartPolicy":                              9,
	} {
		g.Expect(m.Objects[0].LineOf(path)).To(Equal(line), path)
	}
}

// A pod's own negative grace period is one second during validation; that of a template only when the pod is made.
func TestNegativeGrace(t *testing.T) {
	g := NewWithT(t)
	sleeping := "{terminationGracePeriodSeconds: -5, containers: [{name: app, image: i, lifecycle: {preStop: " +
		"{sleep: {seconds: 1}}}}]}"
	m, err := read("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: "+sleeping, "")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(m.Objects[0].Pod.Spec.TerminationGracePeriodSeconds).To(HaveValue(Equal(int64(1))))
	deployment := "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {spec: " +
		sleeping + "}}"
	g.Expect(problems(t, deployment)[0].Field).
		To(Equal("spec.template.spec.containers[0].lifecycle.preStop.sleep"))
	m, err = read(
		"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {spec: "+
			"{terminationGracePeriodSeconds: -5, "+container+"}}}",
		"",
	)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(m.Objects[0].Pod.Spec.TerminationGracePeriodSeconds).To(HaveValue(Equal(int64(1))))
}

func TestJobsEndTheirPods(t *testing.T) {
	template := "template: {spec: {restartPolicy: Never, " + container + "}}"
	const indexes = "completionMode: Indexed, completions: 1, backoffLimitPerIndex: 2, "
	for fields, want := range map[string]Job{
		"":                                limited(6, batchv1.TerminatingOrFailed),
		"backoffLimit: 0, ":               limited(0, batchv1.TerminatingOrFailed),
		"podReplacementPolicy: Failed, ":  limited(6, batchv1.Failed),
		"podFailurePolicy: {rules: []}, ": limited(6, batchv1.Failed),
		indexes:                           limited(math.MaxInt32, batchv1.TerminatingOrFailed),
		"backoffLimit: 3, " + indexes:     limited(3, batchv1.TerminatingOrFailed),
	} {
		for cron, text := range map[string]string{
			"": "kind: Job\nmetadata: {name: a}\nspec: {" + fields + template + "}\n",
			"Replace": "kind: CronJob\nmetadata: {name: a}\nspec: {schedule: '* * * * *', suspend: true, " +
				"concurrencyPolicy: Replace, jobTemplate: {spec: {" + fields + template + "}}}\n",
		} {
			g := NewWithT(t)
			m, err := read("apiVersion: batch/v1\n"+text, "")
			g.Expect(err).NotTo(HaveOccurred())
			got := m.Objects[0].Job
			g.Expect(got.BackoffLimit).To(Equal(want.BackoffLimit), text)
			g.Expect(got.PodReplacementPolicy).To(Equal(want.PodReplacementPolicy), text)
			g.Expect(got.Template).To(BeZero())
			g.Expect([]bool{got.Replaced, got.CronSuspended}).To(HaveEach(cron == "Replace"))
		}
	}
	m, err := read("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {"+container+"}\n", "")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	NewWithT(t).Expect(m.Objects[0].Job).To(BeNil())
}

func limited(limit int32, replaced batchv1.PodReplacementPolicy) (j Job) {
	j.BackoffLimit, j.PodReplacementPolicy = &limit, &replaced
	return j
}

func TestATemplateIsNamed(t *testing.T) {
	g := NewWithT(t)
	const chart = "# a chart\napiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Values.name }}\n"
	_, err := Read(strings.NewReader(chart), "")
	g.Expect(err).To(MatchError(ContainSubstring(
		"document 1, line 5: it is a template: render it first, for example with `helm template`")))
	_, err = Read(strings.NewReader("apiVersion: v1\nkind: ConfigMap\ndata: {rule: '{{ $labels.pod }}'}\n"), "")
	g.Expect(err).NotTo(HaveOccurred(), "braces in a string are none")
}

// A Rollout makes its pods from a template as a ReplicaSet does.
func TestCustomResourcesWithATemplate(t *testing.T) {
	g := NewWithT(t)
	const rollout = `apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: web, namespace: shop}
spec:
  strategy: {canary: {steps: [{setWeight: 20}]}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 45
      containers: [{name: app, image: app}]
`
	m, err := Read(strings.NewReader(rollout), "")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(m.Skipped).To(BeEmpty())
	g.Expect(m.Objects).To(HaveLen(1))
	o := m.Objects[0]
	g.Expect([]string{o.Kind, o.Namespace, o.Name}).To(Equal([]string{"Rollout", "shop", "web"}))
	g.Expect(o.PodPath).To(Equal("spec.template.spec"))
	g.Expect(o.Pod.Spec.TerminationGracePeriodSeconds).To(HaveValue(Equal(int64(45))))
	g.Expect(o.LineOf("spec.template.spec.terminationGracePeriodSeconds")).To(Equal(9))

	_, err = Read(strings.NewReader(strings.Replace(rollout, "image: app", "imag: app", 1)), "")
	g.Expect(err).To(MatchError(ContainSubstring("line 10: Rollout web: spec.template.spec.containers[0].imag")))
	_, err = Read(strings.NewReader(strings.Replace(rollout, "{name: app,", "{name: App,", 1)), "")
	g.Expect(err).To(MatchError(ContainSubstring("spec.template.spec.containers[0].name")))

	m, err = Read(strings.NewReader(strings.Replace(rollout, "template:", "workloadRef:", 1)), "")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(m.Skipped).
		To(Equal([]Skipped{{Kind: "Rollout", Count: 1, Unknown: true}}), "another object has the template")
}
