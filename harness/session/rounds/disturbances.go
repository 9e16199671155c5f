package rounds

import (
	"fmt"
	"strings"
	"time"
)

// Disturbance disturbs nodes again and again while trials run.
type Disturbance struct {
	// Name is the word in --disturbances. Says describes the disturbance in a few words.
	Name, Says string
	// script disturbs a node once and undoes that before it ends. cut ends an interrupted script early.
	// undo undoes what the script left and waits until the node is as before. cut and undo are harmless on
	// an undisturbed node.
	script, cut, undo string
	// every is the time between the starts of two scripts. A script that takes longer delays the next.
	every time.Duration
	// controlPlane disturbs the control plane's node instead of all workers.
	controlPlane bool
}

// None is the undisturbed round that the others are compared with.
const None = "none"

const (
	// stopped is how long a program is stopped, stopEvery the time between two stops. The first stop
	// affects every trial; most trials fit between two stops when they run again.
	stopped   = 3 * time.Second
	stopEvery = 30 * time.Second
	// busyFor is how long one load on cores or disk lasts. It ends by itself even if nothing ends it.
	busyFor = 15 * time.Second
	// killEvery is the time between two kills of the API server. It needs about 10 s to become ready, its
	// clients up to 30 s to reconnect.
	killEvery = 90 * time.Second
	// becomesReady bounds the start of the API server, scriptEnds the end of an interrupted script.
	becomesReady = 2 * time.Minute
	scriptEnds   = 2 * busyFor
)

// All returns the disturbances, the undisturbed round first.
func All() []Disturbance {
	all := []Disturbance{{Name: None, Says: "nothing"}}
	for _, d := range scripted() {
		all = append(all, d.locked())
	}
	return all
}

// lock is the file that a script and its children lock while they run.
const lock = "/run/podclock-disturbance"

// locked makes undo wait for the end of the script. An interrupted script continues on its node and could
// disturb it after undo. So cut ends the script early, and undo runs when it has ended.
func (d Disturbance) locked() Disturbance {
	d.script = fmt.Sprintf("exec 9>%s; flock 9; %s", lock, d.script)
	d.undo = fmt.Sprintf("%s; exec 9>%s; flock -w %.0f 9 || { echo 'its script does not end' >&2; exit 1; }; %s", d.cut,
		lock, scriptEnds.Seconds(), d.undo)
	return d
}

// scripted returns the disturbances that run scripts.
func scripted() []Disturbance {
	return []Disturbance{
		{
			Name: "cpu",
			Says: "every core is busy on every node",
			script: fmt.Sprintf("for core in $(seq $(nproc)); do timeout %.0f yes >/dev/null & done; wait || true",
				busyFor.Seconds()),
			cut:  "pkill -x yes || true",
			undo: "pkill -x yes || true",
		},
		{
			Name: "disk",
			Says: "every node writes to its disk and waits for it",
			script: fmt.Sprintf(
				"end=$(($(date +%%s) + %.0f)); while [ $(date +%%s) -lt $end ]; do dd if=/dev/zero of=%s bs=1M "+
					"count=64 conv=fsync 2>/dev/null; done; rm -f %[2]s",
				busyFor.Seconds(),
				burden,
			),
			cut:  "pkill -x dd || true",
			undo: "rm -f " + burden,
		},
		stops("kubelet", "kubelet"),
		stops("recorder", "recorder"),
		stops("runtime", "containerd"),
		{
			Name:         "api-server",
			Says:         fmt.Sprintf("the API server is killed every %v, and started again", killEvery),
			every:        killEvery,
			controlPlane: true,
			// A new kubelet has no back-off for containers that died before. Without the restart, each
			// start of the API server would take twice as long as the one before.
			script: "systemctl restart kubelet; sleep 1; pkill -KILL -x kube-apiserver",
			cut:    "true",
			undo: fmt.Sprintf(
				"timeout %.0f sh -c 'until %s; do sleep 1; done' || { echo 'it is not ready again' >&2; exit 1; }",
				becomesReady.Seconds(), ready),
		},
	}
}

// ready asks the node's API server whether it is ready. Everybody may ask.
const ready = "curl --silent --fail --insecure --max-time 3 --output /dev/null https://127.0.0.1:6443/readyz"

// burden is the file that keeps the disk busy.
const burden = "/var/podclock-burden"

// stops returns the disturbance that stops a program for a while.
func stops(name, program string) Disturbance {
	return Disturbance{
		Name:  name,
		Says:  fmt.Sprintf("%s stands still for %v of every %v", program, stopped, stopEvery),
		every: stopEvery,
		script: fmt.Sprintf("trap 'pkill -CONT -x %[1]s' EXIT; pkill -STOP -x %[1]s; sleep %.0[2]f", program,
			stopped.Seconds()),
		cut:  fmt.Sprintf("pkill -CONT -x %s || true", program),
		undo: fmt.Sprintf("pkill -CONT -x %s || true", program),
	}
}

// Parse reads a list of names. An empty list is all. The undisturbed round always comes first.
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
