package rounds

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/suites"
)

// nodes are nodes on which a script takes this long, and may fail.
type nodes struct {
	takes time.Duration
	err   error
	// broken is a node on which every command fails.
	broken string

	mu   sync.Mutex
	done []string
}

func (n *nodes) run(ctx context.Context, node string, _ time.Duration, script string) (string, error) {
	n.mu.Lock()
	n.done = append(n.done, node+" "+script)
	n.mu.Unlock()
	if node == n.broken {
		return "", errors.New("no such process")
	}
	if script == "undo" {
		return "", ctx.Err()
	}
	select {
	case <-time.After(n.takes):
		return "", n.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (n *nodes) count(what string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(slices.DeleteFunc(slices.Clone(n.done), func(s string) bool { return s != what }))
}

func disturbing(n *nodes, every time.Duration) *disturber {
	return &disturber{
		Disturbance: Disturbance{Name: "test", script: "do", undo: "undo", every: every},
		nodes:       []string{"a", "b"},
		run:         n.run,
	}
}

// A disturbance is repeated on every node, and undone on every node at the end.
func TestDisturbancesAreRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		n := &nodes{takes: 3 * time.Second}
		d := disturbing(n, 15*time.Second)
		g.Expect(d.during(t.Context(),
			func(context.Context) error { time.Sleep(time.Minute - time.Second); return nil })).
			To(Succeed())
		g.Expect(d.times()).To(Equal(map[string]int{"a": 4, "b": 4}))
		g.Expect(n.count("a do")).To(Equal(4))
		g.Expect(n.count("b do")).To(Equal(4))
		g.Expect(n.done[len(n.done)-2:]).To(ConsistOf("a undo", "b undo"))
		g.Expect(d.failed()).To(BeEmpty())
	})
}

// A disturbance that takes longer than its period is repeated without a pause.
func TestDisturbancesFollowEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		n := &nodes{takes: 15 * time.Second}
		d := disturbing(n, 0)
		g.Expect(d.during(t.Context(),
			func(context.Context) error { time.Sleep(time.Minute + time.Second); return nil })).
			To(Succeed())
		g.Expect(d.times()).To(Equal(map[string]int{"a": 4, "b": 4}))
	})
}

// A disturbance is undone if the trials fail, and if the user interrupts.
func TestADisturbanceIsAlwaysUndone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		n := &nodes{takes: 3 * time.Second}
		g.Expect(disturbing(n, 15*time.Second).during(t.Context(),
			func(context.Context) error { return errors.New("the trials failed") })).
			To(MatchError("the trials failed"))
		g.Expect([]int{n.count("a undo"), n.count("b undo")}).To(Equal([]int{1, 1}))

		ctx, interrupt := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, interrupt)
		g.Expect(disturbing(n, 15*time.Second).during(ctx,
			func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })).
			To(MatchError(context.Canceled))
		g.Expect([]int{n.count("a undo"), n.count("b undo")}).To(Equal([]int{2, 2}))
	})
}

// A disturbance that never took place is a problem with its reason.
func TestNeverDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		n := &nodes{err: errors.New("no such process")}
		d := disturbing(n, 15*time.Second)
		g.Expect(d.during(t.Context(), func(context.Context) error { time.Sleep(time.Minute); return nil })).
			To(Succeed())
		g.Expect(d.failed()).To(Equal("it was never applied to a (no such process), b (no such process)"))
		g.Expect(n.count("a do")).To(BeNumerically("~", 60, 1), "it was tried each second")

		d = disturbing(&nodes{takes: time.Minute}, 15*time.Second)
		g.Expect(d.during(t.Context(), func(context.Context) error { return nil })).To(Succeed())
		g.Expect(d.failed()).
			To(Equal("it was never applied to a (the trials ended before), b (the trials ended before)"))

		d = disturbing(&nodes{takes: time.Second, broken: "b"}, 15*time.Second)
		g.Expect(d.during(t.Context(), func(context.Context) error { time.Sleep(time.Minute); return nil })).
			NotTo(Succeed(), "and it cannot be undone there")
		g.Expect(d.failed()).
			To(Equal("it was never applied to b (no such process)"),
				"other nodes' disturbances do not count for this one")

		none := &disturber{Disturbance: All()[0]}
		g.Expect(none.during(t.Context(), func(context.Context) error { return nil })).To(Succeed())
		g.Expect(none.failed()).To(BeEmpty())
	})
}

func TestParse(t *testing.T) {
	g := NewWithT(t)
	names := func(list string) (names []string) {
		chosen, err := Parse(list)
		g.Expect(err).NotTo(HaveOccurred())
		for _, d := range chosen {
			names = append(names, d.Name)
		}
		return names
	}
	g.Expect(names("")).
		To(Equal([]string{"none", "cpu", "disk", "slow", "kubelet", "recorder", "runtime", "api-server"}))
	g.Expect(names("runtime, kubelet")).To(Equal([]string{"none", "kubelet", "runtime"}))
	g.Expect(names("none")).To(Equal([]string{"none"}))
	_, err := Parse("kubelet,network")
	g.Expect(err).
		To(MatchError(`there is no disturbance "network"; there are cpu, disk, slow, kubelet, recorder, runtime, ` +
			"api-server, and none always comes first"))
}

// Every script undoes its disturbance, even if it is interrupted.
func TestScripts(t *testing.T) {
	for _, d := range All()[1:] {
		g := NewWithT(t)
		g.Expect(d.undo).NotTo(BeEmpty(), d.Name)
		g.Expect(d.script+d.undo).NotTo(ContainSubstring("%!"), d.Name)
		for _, script := range []string{d.script, d.undo} {
			out, err := exec.Command("sh", "-nc", script).CombinedOutput()
			g.Expect(err).NotTo(HaveOccurred(), "%s: %s", d.Name, out)
		}
		if strings.Contains(d.script, "-STOP") {
			g.Expect(d.script).To(ContainSubstring("; trap 'pkill -CONT"), d.Name)
			g.Expect(d.undo).To(ContainSubstring("-CONT"), d.Name)
		}
	}
}

// The quota is a tenth of each core, in both versions of cgroups, and gone after the script and after the undo.
func TestSlow(t *testing.T) {
	chosen, err := Parse("slow")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	for name, c := range map[string]struct {
		files []string
		none  string
	}{
		"cgroup v1": {[]string{"cpu/cpu.cfs_quota_us"}, "-1"},
		"cgroup v2": {[]string{"system.slice/cpu.max", "kubelet.slice/cpu.max"}, "max"},
	} {
		t.Run(name, func(t *testing.T) {
			g, dir := NewWithT(t), t.TempDir()
			for _, f := range c.files {
				g.Expect(os.MkdirAll(filepath.Dir(filepath.Join(dir, f)), 0o755)).To(Succeed())
				g.Expect(os.WriteFile(filepath.Join(dir, f), []byte(c.none), 0o644)).To(Succeed())
			}
			here := func(script, sleep string) {
				script = strings.NewReplacer("/sys/fs/cgroup", dir, lock, dir+"/lock", "sleep 15", sleep).
					Replace(script)
				out, err := exec.Command("sh", "-c", script).CombinedOutput()
				g.Expect(err).NotTo(HaveOccurred(), string(out))
			}
			quotas := func(dir string) (all []string) {
				for _, f := range c.files {
					text, err := os.ReadFile(filepath.Join(dir, f))
					g.Expect(err).NotTo(HaveOccurred())
					all = append(all, strings.TrimSpace(string(text)))
				}
				return all
			}
			seen := t.TempDir()
			here(chosen[1].script, "cp -r "+dir+"/. "+seen)
			g.Expect(quotas(seen)).To(HaveEach(MatchRegexp("^[1-9][0-9]*0000$")))
			g.Expect(quotas(dir)).To(HaveEach(c.none))
			g.Expect(os.WriteFile(filepath.Join(dir, c.files[0]), []byte("20000"), 0o644)).To(Succeed())
			here(chosen[1].undo, "false")
			g.Expect(quotas(dir)).To(HaveEach(c.none))
		})
	}
	out, err := exec.Command("sh", "-c", strings.NewReplacer("/sys/fs/cgroup", t.TempDir(), lock, t.TempDir()+"/lock").
		Replace(chosen[1].script)).
		CombinedOutput()
	NewWithT(t).Expect(err).To(HaveOccurred())
	NewWithT(t).Expect(string(out)).To(ContainSubstring("the node has no CPU quota"))
}

func TestDisturbable(t *testing.T) {
	g := NewWithT(t)
	base := []byte(kindBase)
	c, err := Disturbable(session.Config{KindBase: base})
	g.Expect(err).NotTo(HaveOccurred())
	selected, _, err := c.Select(suites.Catalogue())
	g.Expect(err).NotTo(HaveOccurred())
	trials := map[string]bool{}
	for _, s := range selected {
		trials[s.Trial.ID] = true
		g.Expect(s.Trial.Lasts).To(BeNumerically("<=", time.Minute), s.Trial.ID)
	}
	g.Expect(trials).To(HaveLen(len(disturbedTrials)), "each of the chosen trials is in the catalogue")
	g.Expect(selected).To(HaveLen(4 * len(disturbedTrials)))

	for want, c := range map[string]session.Config{
		"is virtual, and nothing disturbs": {KindBase: base, Subjects: "v1.36.3,virtual:v1.36.3"},
		"none is a released kubelet":       {KindBase: base, Subjects: "v1.36.3+resultrun-one"},
		"there is no kubelet":              {Subjects: "v9.9.9"},
	} {
		_, err := Disturbable(c)
		g.Expect(err).To(MatchError(ContainSubstring(want)))
	}
	_, err = Parse("network")
	g.Expect(err).To(MatchError(ContainSubstring(`there is no disturbance "network"`)))
}
