package cri_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
	criapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/virtual/_node/cri"
	"github.com/podclock/podclock/harness/virtual/_node/recorder"
)

const (
	usual      = "registry.test/fault:1"
	other      = "registry.test/fault-other:1"
	stopSignal = "registry.test/fault-stop-signal:1"
)

// rig is a runtime with one connection and its records.
type rig struct {
	*WithT
	*cri.Connection
	runtime *cri.Runtime
	stderr  *lockedText
	pods    int

	mu    sync.Mutex
	marks []mark.Record
}

// inBubble runs a test in virtual time. It kills what is left at the end, because a bubble ends with its last
// goroutine.
func inBubble(t *testing.T, test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{WithT: NewWithT(t), stderr: &lockedText{}}
		r.open(cri.Options{})
		defer r.close()
		test(r)
	})
}

func (r *rig) open(options cri.Options) {
	options.Recorder = recorder.New(func(record mark.Record) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.marks = append(r.marks, record)
	})
	options.Images = map[string]string{usual: "", other: "", stopSignal: victim.StopSignal}
	options.Stderr = r.stderr
	r.runtime = cri.New(options)
	r.Connection = r.runtime.Connect()
}

func (r *rig) close() {
	last := r.runtime.Connect()
	sandboxes, err := last.ListPodSandbox(context.Background(), nil)
	r.Expect(err).NotTo(HaveOccurred())
	for _, s := range sandboxes {
		r.Expect(last.RemovePodSandbox(context.Background(), s.Id)).To(Succeed())
	}
	r.Expect(r.runtime.Containers()).To(BeEmpty())
}

// lockedText is text that many goroutines write.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// records returns all marks so far.
func (r *rig) records() []mark.Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.marks)
}

// kinds returns the kinds of a role's marks in their order; probes include their answer.
func (r *rig) kinds(role mark.Role) string {
	var kinds []string
	for _, record := range r.records() {
		if record.Role == role {
			kind := string(record.Kind)
			if record.Detail.Probe != nil {
				kind += ":" + record.Detail.Probe.Answer
			}
			kinds = append(kinds, kind)
		}
	}
	return strings.Join(kinds, " ")
}

// first returns the first mark of a kind.
func (r *rig) first(kind mark.Kind) mark.Record {
	for _, record := range r.records() {
		if record.Kind == kind {
			return record
		}
	}
	r.Expect(r.records()).To(BeNil(), "a mark %q", kind)
	return mark.Record{}
}

func (r *rig) sandbox(change ...func(*criapi.PodSandboxConfig)) string {
	r.pods++
	n := strconv.Itoa(r.pods)
	config := &criapi.PodSandboxConfig{
		Metadata: &criapi.PodSandboxMetadata{Name: "pod-" + n, Namespace: "default", Uid: "uid-" + n},
	}
	for _, c := range change {
		c(config)
	}
	id, err := r.RunPodSandbox(context.Background(), config, "")
	r.Expect(err).NotTo(HaveOccurred())
	return id
}

// spec returns a container as the kubelet requests it.
func (r *rig) spec(run victim.Run, change ...func(*criapi.ContainerConfig)) *criapi.ContainerConfig {
	n := strconv.Itoa(r.pods)
	env := func(key, value string) *criapi.KeyValue {
		variable := &criapi.KeyValue{Key: key}
		set(&variable.Value, value)
		return variable
	}
	config := &criapi.ContainerConfig{
		Metadata: &criapi.ContainerMetadata{Name: "victim"},
		Image:    &criapi.ImageSpec{Image: usual},
		Args:     run.Args(),
		Envs: []*criapi.KeyValue{
			env(victim.EnvPod, "default/pod-"+n),
			env(victim.EnvUID, "uid-"+n),
			env(victim.EnvContainer, "victim"),
		},
	}
	for _, c := range change {
		c(config)
	}
	return config
}

// set sets a field that is text in one version of the CRI and bytes in another.
func set[T string | []byte](to *T, value string) { *to = T(value) }

// start creates and starts a container, and waits for Started.
func (r *rig) start(sandbox string, config *criapi.ContainerConfig) string {
	id, err := r.CreateContainer(context.Background(), sandbox, config, nil)
	r.Expect(err).NotTo(HaveOccurred())
	r.Expect(r.StartContainer(context.Background(), id)).To(Succeed())
	time.Sleep(10 * time.Millisecond)
	return id
}

// victim starts a container in its own pod.
func (r *rig) victim(run victim.Run, change ...func(*criapi.ContainerConfig)) string {
	sandbox := r.sandbox()
	return r.start(sandbox, r.spec(run, change...))
}

func (r *rig) status(id string) *criapi.ContainerStatus {
	response, err := r.ContainerStatus(context.Background(), id, false)
	r.Expect(err).NotTo(HaveOccurred())
	return response.GetStatus()
}

// ip returns the address of the sandbox.
func (r *rig) ip(sandbox string) string {
	response, err := r.PodSandboxStatus(context.Background(), sandbox, false)
	r.Expect(err).NotTo(HaveOccurred())
	return response.GetStatus().GetNetwork().GetIp()
}

// about matches a duration of a few steps of the runtime.
func about(expected time.Duration) types.GomegaMatcher {
	return BeNumerically("~", expected, 10*time.Millisecond)
}
