package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	kinderrors "sigs.k8s.io/kind/pkg/errors"
	kindexec "sigs.k8s.io/kind/pkg/exec"
)

// fakeDocker replaces docker by testdata/docker. It returns its folder, and options for a cluster in it.
func fakeDocker(t *testing.T) (string, Options) {
	t.Helper()
	bin, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Cleanup(func() { // kind does not wait for a second container when the first one failed
		NewWithT(t).Eventually(func() error { return os.RemoveAll(dir) }).Should(Succeed())
	})
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("FAKE_DOCKER", dir)
	return dir, Options{
		Name: "a", ConfigPath: baseConfig, Subjects: []string{"x"}, Engine: "docker",
		NodeImage: "image", CacheDir: t.TempDir(),
	}
}

func containers(dir string) []string {
	found, _ := filepath.Glob(filepath.Join(dir, "nodes", "*"))
	return found
}

// cancelled returns a context that ends when both nodes are being created.
func cancelled(t *testing.T, dir string, cause error) context.Context {
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		for len(containers(dir)) < 2 && ctx.Err() == nil {
			time.Sleep(10 * time.Millisecond)
		}
		cancel(cause)
	}()
	return ctx
}

func TestACancelledCreateLeavesNothingBehind(t *testing.T) {
	g := NewWithT(t)
	dir, o := fakeDocker(t)
	interrupted := errors.New("interrupted")
	_, err := NewProvider(o).Create(cancelled(t, dir, interrupted))
	g.Expect(err).To(MatchError(interrupted))
	g.Expect(err.Error()).NotTo(ContainSubstring("did not stop"), "kind was not interrupted")
	g.Expect(containers(dir)).To(BeEmpty())

	b, err := openBooks(filepath.Join(o.CacheDir, "clusters"), o.Name)
	g.Expect(err).NotTo(HaveOccurred(), "the name is free again")
	defer b.close()
	g.Expect(b.read()).To(BeNil())
}

func TestAFailedCreateIsExplainedAndLeavesNothingBehind(t *testing.T) {
	g := NewWithT(t)
	dir, o := fakeDocker(t)
	g.Expect(os.WriteFile(filepath.Join(dir, "refuse"), nil, 0o644)).To(Succeed())
	_, err := NewProvider(o).Create(t.Context())
	g.Expect(err).To(MatchError(And(ContainSubstring("no space left on device"), ContainSubstring("free some space"))))
	g.Expect(containers(dir)).To(BeEmpty())
}

func TestAForeignClusterIsNeverTouched(t *testing.T) {
	g := NewWithT(t)
	dir, o := fakeDocker(t)
	theirs := filepath.Join(dir, "nodes", "a-control-plane")
	g.Expect(os.MkdirAll(filepath.Dir(theirs), 0o755)).To(Succeed())
	g.Expect(os.WriteFile(theirs, []byte("/lib/modules\n/kind/podclock/theirs\n"), 0o644)).To(Succeed())

	_, err := NewProvider(o).Create(t.Context())
	g.Expect(err).To(MatchError(errForeign))
	g.Expect(NewProvider(o).Destroy(t.Context())).To(MatchError(errForeign))
	g.Expect(containers(dir)).To(ConsistOf(theirs))

	// Also with a record of our own earlier cluster of that name.
	b, err := openBooks(filepath.Join(o.CacheDir, "clusters"), o.Name)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(b.write(&record{Name: "a", Engine: "docker", Mark: "ours"})).To(Succeed())
	g.Expect(b.close()).To(Succeed())
	g.Expect(NewProvider(o).Destroy(t.Context())).To(MatchError(errForeign))
	g.Expect(containers(dir)).To(ConsistOf(theirs))
}

func TestDownDeletesOurs(t *testing.T) {
	g := NewWithT(t)
	dir, o := fakeDocker(t)
	g.Expect(NewProvider(o).Destroy(t.Context())).To(Succeed(), "no cluster exists")

	node := filepath.Join(dir, "nodes", "a-control-plane")
	g.Expect(os.MkdirAll(filepath.Dir(node), 0o755)).To(Succeed())
	g.Expect(os.WriteFile(node, []byte("/kind/podclock/ours\n"), 0o644)).To(Succeed())
	b, err := openBooks(filepath.Join(o.CacheDir, "clusters"), o.Name)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(b.write(&record{Name: "a", Engine: "docker", Mark: "ours", Kept: true})).To(Succeed())
	g.Expect(NewProvider(o).Destroy(t.Context())).To(BeAssignableToTypeOf(&busyError{}), "while a run uses it")
	g.Expect(containers(dir)).To(ConsistOf(node))

	g.Expect(b.close()).To(Succeed())
	g.Expect(NewProvider(o).Destroy(t.Context())).To(Succeed())
	g.Expect(containers(dir)).To(BeEmpty())
	g.Expect(b.read()).To(BeNil())
}

func TestBoundedEndsACallThatHangs(t *testing.T) {
	g := NewWithT(t)
	hang := func() error { select {} }
	err := bounded(context.Background(), time.Millisecond, "collecting", hang)
	g.Expect(err).To(MatchError("collecting took longer than 1ms"))

	interrupted := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(interrupted)
	g.Expect(bounded(ctx, time.Hour, "collecting", hang)).To(MatchError(interrupted))

	g.Expect(bounded(context.Background(), time.Hour, "collecting", func() error { return interrupted })).
		To(MatchError(interrupted))
}

func TestAMissingCrictlIsNoMissingLog(t *testing.T) {
	g := NewWithT(t)
	failed := func(command string) error {
		return kinderrors.WithStack(&kindexec.RunError{
			Command: []string{
				"docker",
				"exec",
				"--privileged",
				"a-worker",
				command,
			},
			Inner: errors.New("exit status 1"),
		})
	}
	crictl, journal := failed("crictl"), failed("journalctl")
	all := kinderrors.NewAggregate(
		[]error{kinderrors.WithStack(kinderrors.NewAggregate([]error{crictl, journal})), crictl},
	)
	var real []error
	for _, err := range leaves(all) {
		if !isCrictl(err) {
			real = append(real, err)
		}
	}
	g.Expect(real).To(ConsistOf(journal))
	g.Expect(leaves(nil)).To(BeEmpty())
}

func TestStepsOfKindAreLoggedWithoutPictograms(t *testing.T) {
	g := NewWithT(t)
	var got []string
	line := func(format string, args ...any) { got = append(got, fmt.Sprintf(format, args...)) }
	log := kindLog{line: line, doing: new(atomic.Value)}
	log.V(0).Infof(" • %s  ...\n", "Preparing nodes 📦 📦 ")
	log.V(0).Infof(" ✓ %s\n", "Preparing nodes 📦 📦 ")
	log.V(0).Infof(" • %s  ...\n", "Ensuring node image (kindest/node:v1.36.3) 🖼")
	log.V(0).Infof(" • %s  ...\n", "Starting control-plane 🕹️")
	log.V(2).Info("• details")
	log.Warnf("%s is odd", "it")
	g.Expect(got).To(Equal([]string{
		"preparing nodes", "ensuring node image (kindest/node:v1.36.3)", "starting control-plane", "it is odd",
	}))
}

func TestOnlyGroupsOfTheContainerAreThawed(t *testing.T) {
	g := NewWithT(t)
	folder := t.TempDir()
	for group, want := range map[string]string{
		"docker/0a/kubelet/pod1": "THAWED",
		"docker/0a/kubelet":      "THAWED\n",
		"docker/0b/kubelet/pod2": "FROZEN\n",
	} {
		state := filepath.Join(folder, group, "freezer.state")
		g.Expect(os.MkdirAll(filepath.Dir(state), 0o755)).To(Succeed())
		before := want
		if want == "THAWED" {
			before = "FROZEN\n"
		}
		g.Expect(os.WriteFile(state, []byte(before), 0o644)).To(Succeed())
		defer func() {
			after, err := os.ReadFile(state)
			g.Expect(string(after), err).To(Equal(want), group)
		}()
	}
	g.Expect(thaw(folder, "0a")).To(Equal(1))
	g.Expect(thaw(filepath.Join(folder, "none"), "0a")).To(BeZero())
}
