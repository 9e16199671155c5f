package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/podclock/podclock/harness/host"
	"github.com/podclock/podclock/harness/host/engine"
)

// inotifyDir contains the kernel's limits for all processes of a user.
const inotifyDir = "/proc/sys/fs/inotify"

// inotifyLimits are how much of each limit a node may need. A control plane uses 18 instances. A kubelet
// watches every control group of every pod.
var inotifyLimits = []struct {
	name    string
	perNode int
}{{"max_user_instances", 20}, {"max_user_watches", 16384}}

// raiseInotify raises the limits to what the nodes need and returns the changes for the log. The nodes may
// work despite an error. Hosts other than Linux have no such limits.
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
		want := nodes*l.perNode + 128 // others may use the default already
		if have >= want {
			continue
		}
		if err := os.WriteFile(path, []byte(strconv.Itoa(want)), 0o644); err != nil {
			const format = "%d nodes may need fs.inotify.%s=%d, and this host has %d: %w; " +
				"run \"sudo sysctl fs.inotify.%[2]s=%[3]d\""
			errs = append(errs, fmt.Errorf(format, nodes, l.name, want, have, err))
			continue
		}
		done = append(done, fmt.Sprintf("raised fs.inotify.%s of this host from %d to %d", l.name, have, want))
	}
	return done, errors.Join(errs...)
}

// minFreeBytes is for the writable layers, logs and images of some nodes, and a reserve for the engine.
const minFreeBytes = 5 << 30

// checkDisk returns an error if the engine's disk is too full to boot a cluster. It skips a remote engine.
func checkDisk(ctx context.Context, client string) error {
	format := "{{.DockerRootDir}}"
	if client == engine.Podman {
		format = "{{.Store.GraphRoot}}"
	}
	out, err := exec.CommandContext(ctx, client, "info", "--format", format).Output()
	root := strings.TrimSpace(string(out))
	if err != nil || root == "" {
		return nil
	}
	free, err := host.Free(root)
	if err != nil {
		return nil
	}
	return enoughSpace(root, free)
}

func enoughSpace(root string, free uint64) error {
	if free >= minFreeBytes {
		return nil
	}
	const format = "%.1f GB are free in %s, the container engine's folder, and a cluster needs %.1f GB; free some space"
	return fmt.Errorf(format, float64(free)/1e9, root, float64(minFreeBytes)/1e9)
}
