package rounds

import (
	"fmt"
	"strings"
	"time"
)

// Disturbance disturbs nodes again and again while trials run.
type Disturbance struct {
	Name, Description string
	// script disturbs a node once and undoes that. cut ends an interrupted script; undo restores the node and waits for
	// it. Both are harmless on an undisturbed node.
	script, cut, undo string
	// every is the time between the starts of two scripts, which may take longer.
	every time.Duration
	// controlPlane disturbs its node instead of all workers.
	controlPlane bool
}

// None is the undisturbed round.
const None = "none"

const (
	// stopped is how long a program is stopped every stopEvery. Most trials fit between two stops when they run again.
	stopped   = 3 * time.Second
	stopEvery = 30 * time.Second
	// busyFor is how long one load lasts. It ends by itself.
	busyFor = 15 * time.Second
	// killEvery is between two kills of the API server. It is ready after about 10 s, and its clients reconnect within
	// 30 s.
	killEvery = 90 * time.Second
	// becomesReady bounds the API server's start, scriptEnds an interrupted script.
	becomesReady = 2 * time.Minute
	scriptEnds   = 2 * busyFor
)

// All returns the undisturbed round first.
func All() []Disturbance {
	all := []Disturbance{{Name: None, Description: "nothing"}}
	for _, d := range scripted() {
		all = append(all, d.locked())
	}
	return all
}

const lock = "/run/podclock-disturbance"

// locked makes undo wait for the script, which continues on its node after an interrupt. cut ends it early.
func (d Disturbance) locked() Disturbance {
	d.script = fmt.Sprintf("exec 9>%s; flock 9; %s", lock, d.script)
	d.undo = fmt.Sprintf("%s; exec 9>%s; flock -w %.0f 9 || { echo 'its script does not end' >&2; exit 1; }; %s", d.cut,
		lock, scriptEnds.Seconds(), d.undo)
	return d
}

func scripted() []Disturbance {
	return []Disturbance{
		{
			Name:        "cpu",
			Description: "every core is busy on every node",
			script: fmt.Sprintf("for core in $(seq $(nproc)); do timeout %.0f yes >/dev/null & done; wait || true",
				busyFor.Seconds()),
			cut:  "pkill -x yes || true",
			undo: "pkill -x yes || true",
		},
		{
			Name:        "disk",
			Description: "every node writes to its disk and waits for it",
			script: fmt.Sprintf("end=$(($(date +%%s) + %.0f)); while [ $(date +%%s) -lt $end ]; do dd if=/dev/zero "+
				"of=%s bs=1M count=64 conv=fsync 2>/dev/null; done; rm -f %[2]s", busyFor.Seconds(), burden),
			cut:  "pkill -x dd || true",
			undo: "rm -f " + burden,
		},
		{
			Name:        "slow",
			Description: "every node has a tenth of its CPU time",
			script: fmt.Sprintf("quota() { %s; }; trap quota EXIT; quota $(($(nproc) * %d)) || exit 1; sleep %.0f",
				setQuota, tenth, busyFor.Seconds()),
			cut:  "quota() { " + setQuota + "; }; quota",
			undo: "quota",
		},
		stops("kubelet", "kubelet", "kubelet"),
		stops("recorder", "recorder", "recorder"),
		stops("runtime", "the container runtime", "containerd|crio"),
		{
			Name:         "api-server",
			Description:  fmt.Sprintf("the API server is killed every %v, and started again", killEvery),
			every:        killEvery,
			controlPlane: true,
			// A new kubelet has no back-off. Without the restart, each start of the API server would take twice as long
			// as the one before.
			script: "systemctl restart kubelet; sleep 1; pkill -KILL -x kube-apiserver",
			cut:    "true",
			undo: fmt.Sprintf(
				"timeout %.0f sh -c 'until %s; do sleep 1; done' || { echo 'it is not ready again' >&2; exit 1; }",
				becomesReady.Seconds(), ready),
		},
	}
}

const (
	// tenth is a tenth of one core in each default period of 100 ms, in microseconds.
	tenth = 10_000
	// setQuota sets the CPU quota of the node's cgroup, or removes it without an argument. With cgroup v2, a container
	// may not limit itself, so each of its cgroups gets the quota.
	setQuota = "found=; for f in /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/*/cpu.max; do " +
		"[ -e $f ] || continue; found=1; case $f in *.max) none=max;; *) none=-1;; esac; " +
		"echo ${1:-$none} >$f || return 1; done; [ $found ] || { echo 'the node has no CPU quota' >&2; return 1; }"
)

const ready = "curl --silent --fail --insecure --max-time 3 --output /dev/null https://127.0.0.1:6443/readyz"

const burden = "/var/podclock-burden"

// stops stops the programs whose names match an extended regular expression as a whole.
func stops(name, program, names string) Disturbance {
	resume := fmt.Sprintf("pkill -CONT -x %q || true", names)
	return Disturbance{
		Name:        name,
		Description: fmt.Sprintf("%s is stopped for %v of every %v", program, stopped, stopEvery),
		every:       stopEvery,
		script: fmt.Sprintf("trap 'pkill -CONT -x %[1]q' EXIT; pkill -STOP -x %[1]q; sleep %.0[2]f", names,
			stopped.Seconds()),
		cut:  resume,
		undo: resume,
	}
}

// Parse reads a list of names, all if it is empty. The undisturbed round always comes first.
func Parse(list string) ([]Disturbance, error) {
	all := All()
	if list == "" {
		return all, nil
	}
	chosen, names := all[:1:1], []string{}
	wanted := map[string]bool{}
	for name := range strings.SplitSeq(list, ",") {
		wanted[strings.TrimSpace(name)] = true
	}
	for _, d := range all[1:] {
		if names = append(names, d.Name); wanted[d.Name] {
			chosen = append(chosen, d)
		}
		delete(wanted, d.Name)
	}
	delete(wanted, None)
	for name := range wanted {
		return nil, fmt.Errorf("there is no disturbance %q; there are %s, and %s always comes first", name,
			strings.Join(names, ", "), None)
	}
	return chosen, nil
}
