package nodes

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The names of [Usage]. OfRuntime is the container runtime's own process. OfRuntimeUnit is all that runs in its control
// group: also its shims and the OCI runtime that they start, but no process of a pod.
const (
	OfKubelet     = "kubelet"
	OfRuntime     = "runtime"
	OfRuntimeUnit = "runtime unit"
	OfAPIServer   = "kube-apiserver"
	OfEtcd        = "etcd"
)

// Usage is what processes of a node have used up to a time.
type Usage struct {
	// At is the node's clock, which is that of the engine's host.
	At time.Time
	// CPU is the time on all cores, Memory what is resident in bytes, both by name. A name that the node lacks is
	// missing, and OfRuntimeUnit has no memory.
	CPU    map[string]time.Duration
	Memory map[string]int64
	// Host is the time in which cores of the host were busy, with anything.
	Host time.Duration
}

// CountRuntime prepares a node for [Set.Usage]: with cgroup v1, it moves the container runtime and its shims to a
// control group of their own that only counts. What they start inherits it, and the runtime moves a pod's processes to
// that of the pod. A restart of the runtime ends it.
func (s *Set) CountRuntime(ctx context.Context, nodeName string) error {
	_, err := s.run(ctx, nodeName, "counting the CPU time of its container runtime", script{text: countScript})
	return err
}

// Usage reads what the kubelet, the container runtime, the API server and etcd of a node have used. A node has some.
func (s *Set) Usage(ctx context.Context, nodeName string) (Usage, error) {
	out, err := s.run(ctx, nodeName, "reading the CPU time of its programs", script{text: usageScript})
	if err != nil {
		return Usage{}, err
	}
	u, err := parseUsage(out)
	if err != nil {
		err = fmt.Errorf("node %s: reading the CPU time of its programs: %w", nodeName, err)
	}
	return u, err
}

// counted is the control group of CountRuntime with cgroup v1.
const counted = `/sys/fs/cgroup/cpuacct/podclock-runtime`

const countScript = runtimeShell + `
[ -e /sys/fs/cgroup/cgroup.controllers ] && exit 0
mkdir -p ` + counted + `
for pid in $(systemctl show --property MainPID --value $unit) $(pgrep containerd-shim || :); do
  echo $pid > ` + counted + `/cgroup.procs
done
`

// usageScript prints a line for each fact. A process' times are fields of its stat (proc_pid_stat(5)).
const usageScript = runtimeShell + `
process() {
  [ "${2:-0}" != 0 ] || return 0
  echo "stat/$1/$(cat /proc/$2/stat)"
  echo "memory/$1/$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' /proc/$2/status)"
}
main=$(systemctl show --property MainPID --value $unit)
group=/sys/fs/cgroup$(systemctl show --property ControlGroup --value $unit)/cpu.stat
echo "at/$(date +%s%N)"
echo "host/$(head -n 1 /proc/stat)"
process ` + OfKubelet + ` $(systemctl show --property MainPID --value kubelet)
process ` + OfRuntime + ` $main
process ` + OfAPIServer + ` $(pidof kube-apiserver || :)
process ` + OfEtcd + ` $(pidof etcd || :)
if [ -e $group ]; then
  echo "unit/$(sed -n 's/^usage_usec //p' $group)000"
elif [ -e ` + counted + ` ]; then
  grep -q "^$main$" ` + counted + `/cgroup.procs || { echo "its $unit has restarted" >&2; exit 1; }
  echo "unit/$(cat ` + counted + `/cpuacct.usage)"
fi
`

// tick is the unit of the times in /proc on every architecture (USER_HZ).
const tick = time.Second / 100

func parseUsage(out string) (Usage, error) {
	u := Usage{CPU: map[string]time.Duration{}, Memory: map[string]int64{}}
	var errs []error
	number := func(text string) int64 {
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		errs = append(errs, err)
		return n
	}
	for line := range strings.Lines(out) {
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), "/")
		name, value, _ := strings.Cut(rest, "/")
		switch kind {
		case "at":
			u.At = time.Unix(0, number(rest))
		case "unit":
			u.CPU[OfRuntimeUnit] = time.Duration(number(rest))
		case "memory":
			u.Memory[name] = number(value) << 10
		case "host": // "cpu user nice system idle iowait irq softirq steal guest guest_nice"
			for i, f := range strings.Fields(rest)[1:] {
				if i < 8 && i != 3 && i != 4 {
					u.Host += time.Duration(number(f)) * tick
				}
			}
		case "stat": // utime, stime, cutime and cstime are fields 14 to 17; the second ends with the last ")"
			fields := strings.Fields(value[strings.LastIndex(value, ")")+1:])
			if len(fields) < 15 {
				return u, fmt.Errorf("no line of /proc/PID/stat: %q", value)
			}
			for _, f := range fields[11:15] {
				u.CPU[name] += time.Duration(number(f)) * tick
			}
		}
	}
	if u.At.IsZero() {
		errs = append(errs, fmt.Errorf("no time: %q", LastLines(out, 1)))
	}
	return u, errors.Join(errs...)
}
