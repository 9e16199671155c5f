package disturbance

import (
	"fmt"
	"strings"
	"time"
)

// Disturbance is what is done to nodes, again and again, while trials run.
type Disturbance struct {
	// Name is what DISTURBANCES calls it, Says what it does in a few words.
	Name, Says string
	// script does it once, on one node, and puts it right before it ends. cut hurries a script that was cut
	// off, undo puts right what it left behind, and waits until all is as before; both do no harm where
	// there is nothing to.
	script, cut, undo string
	// every is the time from one beginning to the next; a script that takes longer is followed by the next at once.
	every time.Duration
	// controlPlane says that it is done to the control plane's node instead of all workers.
	controlPlane bool
}

// None is the row that the others are compared with.
const None = "none"

const (
	// stopped is how long a program stands still, stopEvery the time from one stop to the next: none of the
	// trials escapes it at first, and most of them fit between two when they are tried again.
	stopped   = 3 * time.Second
	stopEvery = 30 * time.Second
	// busyFor is how long what keeps the cores or the disk busy runs until it is started anew, so that it
	// ends by itself if nobody ends it.
	busyFor = 15 * time.Second
	// killEvery is the time from one end of the API server to the next: it takes some ten seconds until it
	// is ready again, and its clients up to half a minute until they are back.
	killEvery = 90 * time.Second
	// becomesReady bounds how long it takes until the API server is ready again, scriptEnds until a script
	// that was cut off has come to its end.
	becomesReady = 2 * time.Minute
	scriptEnds   = 2 * busyFor
)

// All are the disturbances, the control first.
func All() []Disturbance {
	all := []Disturbance{{Name: None, Says: "nothing"}}
	for _, d := range scripted() {
		all = append(all, d.locked())
	}
	return all
}

// lock is the file that a node's script holds locked while it runs, and everything that it started.
const lock = "/run/podclock-disturbance"

// locked lets the undoing wait for the script's end: a script that is cut off goes on in its node, and what
// it does next would come after it was undone. So it is undone at once, which hurries it, and once more
// when it is over.
func (d Disturbance) locked() Disturbance {
	d.script = fmt.Sprintf("exec 9>%s; flock 9; %s", lock, d.script)
	d.undo = fmt.Sprintf("%s; exec 9>%s; flock -w %.0f 9 || { echo 'its script does not end' >&2; exit 1; }; %s", d.cut,
		lock, scriptEnds.Seconds(), d.undo)
	return d
}

// scripted are those that do anything.
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
				"end=$(($(date +%%s) + %.0f)); while [ $(date +%%s) -lt $end ]; do dd if=/dev/zero of=%s bs=1M count=64 conv=fsync 2>/dev/null; done; rm -f %[2]s",
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
			// A kubelet that is new holds no container back that died before: without that each start would
			// take twice as long as the one before.
			script: "systemctl restart kubelet; sleep 1; pkill -KILL -x kube-apiserver",
			cut:    "true",
			undo: fmt.Sprintf(
				"timeout %.0f sh -c 'until %s; do sleep 1; done' || { echo 'it is not ready again' >&2; exit 1; }",
				becomesReady.Seconds(), ready),
		},
	}
}

// ready asks the API server of the node whether it is, as everybody may.
const ready = "curl --silent --fail --insecure --max-time 3 --output /dev/null https://127.0.0.1:6443/readyz"

// burden is the file that a busy disk writes.
const burden = "/var/podclock-burden"

// stops is a program that stands still for a while, and goes on.
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

// Parse reads a list of names, all where it is empty. The control comes first in any case.
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
		return nil, fmt.Errorf("there is no disturbance %q; there are %s, and %s comes first in any case", name,
			strings.Join(names, ", "), None)
	}
	return chosen, nil
}
