package timeline

import (
	"fmt"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
)

const (
	// apiResolution is what the API's whole seconds lose, plus the runtime's delay in noticing an exit.
	apiResolution = time.Second + noticed
	noticed       = 500 * time.Millisecond
	// exitNoticed is the work of one task that notices an exit: of the runtime's shim or of the recorder.
	exitNoticed = 10 * time.Millisecond
	// sandboxEnds bounds how far apart the processes of a pod end with its sandbox. The kernel kills them at once. Seen
	// on a busy node: 10 ms.
	sandboxEnds = 100 * time.Millisecond
	// unseenFailure is the delay of one task after which a probe may fail without having reached the container: the
	// container's server may not listen yet (formula processStart), or the probe may time out before.
	unseenFailure = 250 * time.Millisecond
	// sigkilled is the exit code of a process that SIGKILL ended.
	sigkilled = 137
)

// Reasons of ends that the kubelet made up (kubelet_pods.go convertToAPIContainerStatuses).
const (
	lostToTheAPI = "ContainerStatusUnknown"
	removed      = "RestartingAllContainers"
)

// neverStarted is the reason of an instance that the runtime could not start (containerd's errorStartReason). It counts
// as a restart, but it had no process.
const neverStarted = "StartError"

// unhandled are the exit codes of a victim that a stop signal ended before its handler was installed: those of the Go
// runtime as process 1 of a container, and of the kernel.
var unhandled = []int32{2, 143}

func (t *Timeline) misreport(r Report, at int64, format string, args ...any) {
	why := fmt.Sprintf(format, args...)
	if !slices.ContainsFunc(t.Misreports, func(m Misreport) bool { return m.Why == why }) {
		t.Misreports = append(t.Misreports, Misreport{Report: r, At: at, Why: why})
	}
}

// compareEnd compares an end that the API showed at an instant with the marks.
func (t *Timeline) compareEnd(container string, end End, at Instant, delays delay.Record) {
	shown := at.At
	c := t.Containers[container]
	ran := c != nil && len(c.Lives) > 0
	t.Compared[EndLost]++
	// The kubelet also makes up the end of a deleted pod's container that never ran.
	if end.Reason == lostToTheAPI && (ran || end.Life > 1) {
		t.misreport(EndLost, shown, "the API shows the end of life %d of container %s as %s", end.Life, container,
			lostToTheAPI)
		t.lostCode(container, end.ExitCode)
	}
	if madeUp(end) {
		return
	}
	finished := end.FinishedAt * int64(time.Second)
	if end.Reason == neverStarted {
		if !ran {
			return // there are no marks with wrong numbers
		}
		t.doubt(container, finished-int64(apiResolution), "the runtime could not start an instance of container %s: "+
			"the API counts one life more than the marks", container)
		return
	}
	life := t.Life(container, end.Life)
	if life == nil {
		if end.AtOnce() {
			return // killed before its first mark, such as after a restart during a deletion
		}
		if finished < t.Known-int64(apiResolution) {
			t.doubt(container, end.StartedAt*int64(time.Second),
				"the API shows an end of life %d of container %s that has no mark", end.Life, container)
		}
		return
	}
	if life.ExitCode == nil {
		life.ExitCode, life.EndReason = &end.ExitCode, end.Reason
	}
	if c := int(end.ExitCode); c >= victim.ExitUsage && c <= victim.ExitNotKilled {
		t.doubt(container, 0, "life %d of container %s ended with %d: the victim could not do what its spec asks; "+
			"see its log", end.Life, container, c)
		return
	}
	if end.FinishedAt <= 0 || finished > t.Known-int64(apiResolution) {
		return
	}
	t.Compared[EndShown]++
	if life.Gone == nil {
		if t.Known-finished > int64(apiResolution+delays.OfTask(finished, t.Known, exitNoticed)) {
			t.misreport(EndShown, shown, "the API shows that life %d of container %s ended, but its process lives",
				end.Life, container)
		} else {
			t.doubt(container, finished, "the API shows that life %d of container %s ended, but its connection is "+
				"open; the node's delay may explain it", end.Life, container)
		}
		return
	}
	if early := life.Gone.At - shown - at.Late; early > int64(noticed+delays.OfTask(shown, life.Gone.At, exitNoticed)) {
		t.misreport(EndShown, shown, "the API showed that life %d of container %s ended %v before its process died",
			end.Life, container, time.Duration(early).Round(time.Millisecond))
		return
	}
	t.compareTime(container, life, finished, shown, delays)
	t.compareCode(container, life, end.ExitCode, shown)
}

// lostCode notes the exit code of an unknown end, for which the kubelet counts a restart that never happened.
func (t *Timeline) lostCode(container string, code int32) {
	c := t.Containers[container]
	if c == nil || len(c.Lives) == 0 {
		return
	}
	if last := c.Lives[len(c.Lives)-1]; last.ExitCode == nil {
		last.ExitCode = &code
	}
}

// compareTime compares finishedAt with the mark of the death. The runtime may notice the exit late, and the recorder
// may stamp it late.
func (t *Timeline) compareTime(container string, life *Life, finished, shown int64, delays delay.Record) {
	t.Compared[EndDated]++
	// FinishedAt is cut to seconds: the death was at most one second later.
	before, after := finished-life.Gone.At, life.Gone.At-finished-int64(time.Second)
	from, to := min(finished, life.Gone.At)-int64(time.Second), max(finished, life.Gone.At)+int64(time.Second)
	wrong, work := after, exitNoticed
	if before > after {
		wrong, work = before, t.datedAfter(life)
	}
	if wrong > int64(noticed+delays.OfTask(from, to, work)) {
		t.misreport(EndDated, shown, "finishedAt of life %d of container %s is %v beside its death", life.Number,
			container, time.Duration(wrong).Round(time.Millisecond))
	}
}

// datedAfter returns the work after which the runtime dates a death. If SIGKILL ends several containers together, their
// pod's sandbox has ended. The pod's shim then runs "runc kill" before it dates each end, one after the other
// (containerd cmd/containerd-shim-runc-v2/task/service.go processExits, handleInitExit).
func (t *Timeline) datedAfter(life *Life) time.Duration {
	killed := func(l *Life) bool { return l.Gone != nil && l.SIGTERM() == nil && l.Exiting == nil }
	together := 0
	for _, c := range t.Containers {
		for _, l := range c.Lives {
			if killed(l) && time.Duration(l.Gone.At-life.Gone.At).Abs() <= sandboxEnds {
				together++
			}
		}
	}
	if !killed(life) || together < 2 {
		return exitNoticed
	}
	return exitNoticed + time.Duration(together)*formula.ExecStart
}

// compareCode compares the exit code in the API with the one that the process gave.
func (t *Timeline) compareCode(container string, life *Life, code int32, shown int64) {
	t.Compared[ExitCodeShown]++
	want := []int32{sigkilled}
	switch {
	case life.OwnExitCode != nil && life.SIGTERM() != nil: // SIGKILL may come first
		want = append(want, int32(*life.OwnExitCode))
	case life.OwnExitCode != nil:
		want = []int32{int32(*life.OwnExitCode)}
	case life.SIGTERM() == nil:
		want = append(want, unhandled...)
	}
	if !slices.Contains(want, code) {
		t.misreport(ExitCodeShown, shown, "the API shows that life %d of container %s ended with %d, but it gave %d",
			life.Number, container, code, want[len(want)-1])
	}
}

// compareWithCounters compares the failures that the kubelet counted with the probes that reached the containers. Fewer
// are no misreport: the claims show that.
func (t *Timeline) compareWithCounters(c *Counters, delays delay.Record) {
	if c == nil {
		return
	}
	for name, byKind := range c.Failed {
		container := t.Containers[name]
		if container == nil {
			continue
		}
		for kind, counted := range byKind {
			t.Compared[FailureCounted]++
			saw := container.mayHaveFailed(kind, c.Answered)
			if counted <= saw {
				continue
			}
			const format = "the kubelet counted %d failing %s probes of container %s, the container saw %d"
			if unseen(counted-saw, counted+container.succeeded(kind), container.began(), c.Answered.At, delays) {
				t.doubt(name, 0, format, counted, kind, name, saw)
			} else {
				t.misreport(FailureCounted, c.Answered.At, format, counted, kind, name, saw)
			}
		}
	}
}

// unseen reports whether the node's delay explains that so many of a container's probes failed on their way to it. A
// busy node loses few. A pause loses at most the probes that come in it: no period is shorter than a second.
func unseen(failures, probes int, from, to int64, delays delay.Record) bool {
	paused := int(delays.Paused(from, to) / time.Second)
	return delays.OfTask(from, to, 0) >= unseenFailure && failures <= formula.MostUnseen(probes)+paused
}

func (c *Container) began() int64 {
	for _, life := range c.Lives {
		if life.Connected != nil {
			return life.Connected.At
		}
	}
	return 0
}

// mayHaveFailed counts the probes of a kind until an instant that were not plain successes: a kubelet may wrongly count
// errors and redirects as failures. A probe over the network may also meet a dead process until the kubelet notices the
// death. A readiness probe over the network may come before the process listens: the status of a new life triggers it
// (pkg/kubelet/prober/prober_manager.go UpdatePodStatus).
func (c *Container) mayHaveFailed(kind string, by Instant) int {
	n, network := 0, c.probedByNetwork(kind)
	for _, life := range c.Lives {
		for _, p := range life.Probes {
			if p.For == kind && p.Answer != victim.Succeed.String() && p.At.MayPrecede(by) {
				n++
			}
		}
		// A probe that led to the kill is stopped before.
		stopped := life.SIGTERM() != nil && kind != victim.Readiness && life.FailedInARow(kind) > 0
		if network && life.Gone != nil && !stopped {
			n++
		}
		if network && kind == victim.Readiness {
			n++
		}
	}
	return n
}

// probedByNetwork reports whether the probes of a kind may come over the network: none is known to be an exec one. A
// life that ends at once sees none.
func (c *Container) probedByNetwork(kind string) bool {
	return !slices.ContainsFunc(c.Lives, func(l *Life) bool {
		return slices.ContainsFunc(l.Probes, func(p Probe) bool { return p.For == kind && p.Handler == "exec" })
	})
}

func (c *Container) succeeded(kind string) (n int) {
	for _, life := range c.Lives {
		for _, p := range life.Probes {
			if p.For == kind && p.Answer == victim.Succeed.String() {
				n++
			}
		}
	}
	return n
}

func madeUp(end End) bool { return end.Reason == lostToTheAPI || end.Reason == removed }
