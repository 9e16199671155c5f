package incluster

import (
	"bytes"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/spf13/pflag"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

func printed(t *testing.T, args ...string) (documents []string, err error) {
	t.Helper()
	if testing.Short() {
		t.Skip("it compiles the images of all platforms")
	}
	run := pflag.NewFlagSet("run", pflag.ContinueOnError)
	for _, name := range passed {
		if name == "nodes" || name == "allow" {
			run.StringSlice(name, nil, "")
		} else {
			run.String(name, "", "")
		}
	}
	var out bytes.Buffer
	c := Command(run)
	c.SetArgs(args)
	c.SetOut(&out)
	c.SilenceUsage, c.SilenceErrors = true, true
	err = c.Execute()
	for _, text := range strings.Split(out.String(), "---\n") {
		if text != "" {
			documents = append(documents, text)
		}
	}
	return documents, err
}

// The Job runs podclock with the flags that were given.
func TestManifestsOfAJob(t *testing.T) {
	g := NewWithT(t)
	documents, err := printed(t, "--volume=1Gi", "--profile=quick", "--nodes=a,b")
	g.Expect(err).NotTo(HaveOccurred())
	var kinds []string
	for _, text := range documents {
		var object struct{ Kind string }
		g.Expect(yaml.Unmarshal([]byte(text), &object)).To(Succeed())
		kinds = append(kinds, object.Kind)
	}
	g.Expect(kinds).To(Equal([]string{
		"Namespace", "ServiceAccount", "ClusterRole", "ClusterRoleBinding", "PersistentVolumeClaim", "Job",
	}))
	var job batchv1.Job
	g.Expect(yaml.UnmarshalStrict([]byte(documents[5]), &job)).To(Succeed())
	container := job.Spec.Template.Spec.Containers[0]
	g.Expect(container.Image).To(ContainSubstring("/podclock:"))
	g.Expect(container.Args).To(HaveExactElements("run", "--on=external", "--yes", "--continue", "--deliver=copy",
		"--out=/results", And(HavePrefix("--images="), ContainSubstring("/fault:"), ContainSubstring("/recorder:")),
		"--profile=quick", "--nodes=a,b"))
	g.Expect(job.Spec.Template.Spec.Volumes[0].PersistentVolumeClaim.ClaimName).To(Equal("podclock"))
	g.Expect(container.Env).To(ContainElement(corev1.EnvVar{Name: "TMPDIR", Value: "/results"}))
}

// Each pod of the Job has its own nodes.
func TestManifestsOfSeveralWorkers(t *testing.T) {
	g := NewWithT(t)
	documents, err := printed(t, "--workers=3", "--at-once=20")
	g.Expect(err).NotTo(HaveOccurred())
	var job batchv1.Job
	g.Expect(yaml.UnmarshalStrict([]byte(documents[4]), &job)).To(Succeed())
	g.Expect(*job.Spec.CompletionMode).To(Equal(batchv1.IndexedCompletion))
	g.Expect(*job.Spec.Completions).To(Equal(int32(3)))
	g.Expect(*job.Spec.Parallelism).To(Equal(int32(3)))
	g.Expect(job.Spec.Template.Spec.Containers[0].Args).To(ContainElements(
		"--at-once=20", "--shard=$(JOB_COMPLETION_INDEX)/3"))
	for _, other := range []string{"--volume=1Gi", "--sonobuoy"} {
		_, err = printed(t, "--workers=3", other)
		g.Expect(err).To(MatchError(ContainSubstring("--workers=3: it must be a number of pods, which have no")))
	}
}

func TestManifestOfASonobuoyPlugin(t *testing.T) {
	g := NewWithT(t)
	documents, err := printed(t, "--sonobuoy", "--focus=probes/")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(documents).To(HaveLen(1))
	var definition plugin
	g.Expect(yaml.UnmarshalStrict([]byte(documents[0]), &definition)).To(Succeed())
	g.Expect(definition.Config).To(HaveKeyWithValue("driver", "Job"))
	g.Expect(definition.Config).To(HaveKeyWithValue("result-format", "junit"))
	g.Expect(definition.PodSpec.RestartPolicy).To(Equal(corev1.RestartPolicyNever))
	g.Expect(definition.Spec.Args).To(ContainElements("--deliver=sonobuoy", "--out=/tmp/sonobuoy/results",
		"--focus=probes/"))
}

func TestManifestsThatAreRefused(t *testing.T) {
	for says, arg := range map[string]string{
		"--volume=much: it must be a size":                    "--volume=much",
		"--volume=-1Gi: it must be a size":                    "--volume=-1Gi",
		"--allow=taints: a taint would evict":                 "--allow=fills,taints",
		"--workers=-1: it must be a number of pods":           "--workers=-1",
		"--images=podclock: it must be a registry and a path": "--images=podclock",
	} {
		documents, err := printed(t, arg)
		g := NewWithT(t)
		g.Expect(err).To(MatchError(ContainSubstring(says)))
		g.Expect(documents).To(BeEmpty())
	}
}
