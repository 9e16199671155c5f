package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// inotifyDir is where the kernel has the limits of inotify. They hold for all
// processes of a user, and root in a node is root on the host.
const inotifyDir = "/proc/sys/fs/inotify"

// inotifyLimit is a limit of inotify and how much of it a node may need.
type inotifyLimit struct {
	name    string
	perNode int
}

// inotifyLimits: an idle worker holds 14 instances (systemd 4, dbus 1,
// containerd 2, the kubelet 7), a control plane 4 more, and a kubelet watches
// every control group of every pod, on cgroup v1 once per controller. With the
// kernel's default of 128 instances the kubelets beyond the eighth node die at
// once with "too many open files" (kind's "known issues" page names it, too).
var inotifyLimits = []inotifyLimit{{"max_user_instances", 20}, {"max_user_watches", 16384}}

// raiseInotify raises the limits in a folder to what that many nodes need and
// returns what it did, as words for the log. Where that is not permitted, the
// error says how to, and the nodes may nevertheless be content. A host without
// these limits is none of Linux: its nodes run in a machine of their own.
func raiseInotify(dir string, nodes int) (done []string, err error) {
	var errs []error
	for _, l := range inotifyLimits {
		path := filepath.Join(dir, l.name)
		raw, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		have, convErr := strconv.Atoi(strings.TrimSpace(string(raw)))
		if err := errors.Join(err, convErr); err != nil {
			errs = append(errs, fmt.Errorf("reading the host's limit of inotify: %w", err))
			continue
		}
		// What is there already may be in use by others.
		want := nodes*l.perNode + 128
		if have >= want {
			continue
		}
		if err := os.WriteFile(path, []byte(strconv.Itoa(want)), 0o644); err != nil {
			errs = append(
				errs,
				fmt.Errorf(
					"%d nodes may need fs.inotify.%s=%d, and this host has %d: %w; raise it with \"sudo sysctl fs.inotify.%s=%d\"",
					nodes,
					l.name,
					want,
					have,
					err,
					l.name,
					want,
				),
			)
			continue
		}
		done = append(done, fmt.Sprintf("raised fs.inotify.%s of this host from %d to %d", l.name, have, want))
	}
	return done, errors.Join(errs...)
}
