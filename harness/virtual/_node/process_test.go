package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/virtual/wire"
)

// asProgram makes the test binary the program itself, because its bubble needs its own process.
const asProgram = "PODCLOCK_TEST_VIRTUAL_NODE"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// process is a running program, and the lab's end of it.
type process struct {
	*WithT
	command *exec.Cmd
	in      io.WriteCloser
	out     io.ReadCloser
	answers *json.Decoder
	stderr  *bytes.Buffer
	// folder holds the program's files.
	folder string
	// clock is the node's clock; marks and pods are those of all answers.
	clock time.Time
	marks []mark.Record
	pods  []wire.Pod
}

// launch starts the program, and kills it after a minute.
func launch(t *testing.T) *process {
	t.Helper()
	p := &process{WithT: NewWithT(t), folder: t.TempDir(), stderr: &bytes.Buffer{}}
	p.command = exec.CommandContext(t.Context(), os.Args[0])
	p.command.Env = append(os.Environ(), asProgram+"=1", "TMPDIR="+p.folder)
	p.command.Stderr = p.stderr
	var err error
	p.in, err = p.command.StdinPipe()
	p.Expect(err).NotTo(HaveOccurred())
	p.out, err = p.command.StdoutPipe()
	p.Expect(err).NotTo(HaveOccurred())
	p.answers = json.NewDecoder(bufio.NewReader(p.out))
	p.Expect(p.command.Start()).To(Succeed())
	end := time.AfterFunc(time.Minute, func() { _ = p.command.Process.Kill() })
	t.Cleanup(func() {
		end.Stop()
		_ = p.command.Process.Kill()
		_ = p.command.Wait()
	})
	return p
}

// boot is a launched program whose node is started.
func boot(t *testing.T, config map[string]any) (*process, wire.Answer) {
	t.Helper()
	p := launch(t)
	return p, p.obey(wire.Request{Start: &wire.Start{KubeletConfig: config, Images: map[string]string{"fault": ""}}})
}

// ask makes a request.
func (p *process) ask(r wire.Request) (a wire.Answer) {
	p.Expect(json.NewEncoder(p.in).Encode(r)).To(Succeed())
	p.Expect(p.answers.Decode(&a)).To(Succeed(), "%v\n%s", r, p.stderr)
	p.Expect(a.Frozen).To(BeEmpty())
	p.clock = time.Unix(0, a.To)
	p.marks, p.pods = append(p.marks, a.Marks...), append(p.pods, a.Pods...)
	return a
}

// obey makes a request that must succeed.
func (p *process) obey(r wire.Request) wire.Answer {
	a := p.ask(r)
	p.Expect(a.Error).To(BeEmpty(), "%v", r)
	return a
}

// sleep lets virtual time pass.
func (p *process) sleep(d time.Duration) {
	for until := p.clock.Add(d).UnixNano(); p.clock.UnixNano() < until; {
		p.obey(wire.Request{Advance: &wire.Advance{Until: until}})
	}
}

// exit ends the requests and returns the exit code. It checks that no files of the program are left.
func (p *process) exit() int {
	_ = p.in.Close()
	_, err := io.Copy(io.Discard, p.out)
	p.Expect(err).To(Or(BeNil(), MatchError(os.ErrClosed)))
	_ = p.command.Wait()
	p.Expect(os.ReadDir(p.folder)).To(BeEmpty(), "files of a node that has ended")
	return p.command.ProcessState.ExitCode()
}

// since counts the marks of a kind since a time.
func (p *process) since(kind mark.Kind, from time.Time) (n int) {
	for _, m := range p.marks {
		if m.Kind == kind && m.At >= from.UnixNano() {
			n++
		}
	}
	return n
}

const (
	namespace = "podclock"
	httpPort  = 8081
	tcpPort   = 8082
	grpcPort  = 8083
)

// pod returns a pod with a victim.
func pod(name string, run victim.Run, liveness *corev1.Probe) *corev1.Pod {
	field := func(name, path string) corev1.EnvVar {
		return corev1.EnvVar{
			Name:      name,
			ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}},
		}
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: corev1.PodSpec{NodeName: wire.NodeName, Containers: []corev1.Container{
			{
				Name:            "main",
				Image:           "fault",
				ImagePullPolicy: corev1.PullIfNotPresent,
				Args:            run.Args(),
				LivenessProbe:   liveness,
				Env: []corev1.EnvVar{
					field(victim.EnvRecorder, "status.hostIP"),
					{Name: victim.EnvPod, Value: namespace + "/" + name},
					field(victim.EnvUID, "metadata.uid"),
					{Name: victim.EnvContainer, Value: "main"},
				},
			},
		}},
	}
}

// remove is a delete or an eviction of a pod.
func remove(name, method, subresource string, body any) wire.Request {
	text, _ := json.Marshal(body)
	return wire.Request{API: &wire.API{
		Method: method, Resource: "pods", Subresource: subresource, Namespace: namespace, Name: name, Body: text,
	}}
}
