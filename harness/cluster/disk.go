package cluster

import (
	"context"
	"fmt"
	"os/exec"
	"strings"

	"github.com/podclock/podclock/harness/engine"
	"golang.org/x/sys/unix"
)

// minFreeBytes is what a cluster needs where the engine stores its data: the
// writable layers, logs and images of some nodes, and air for the engine.
const minFreeBytes = 5 << 30

// checkDisk fails when the engine's disk is too full to boot on. An engine on
// another machine, or one that doesn't say where its data is, is not checked.
func checkDisk(ctx context.Context, client string) error {
	format := "{{.DockerRootDir}}"
	if client == engine.Podman {
		format = "{{.Store.GraphRoot}}"
	}
	out, err := exec.CommandContext(ctx, client, "info", "--format", format).Output()
	root := strings.TrimSpace(string(out))
	var fs unix.Statfs_t
	if err != nil || root == "" || unix.Statfs(root, &fs) != nil {
		return nil
	}
	return enoughSpace(root, fs.Bavail*uint64(fs.Bsize))
}

func enoughSpace(root string, free uint64) error {
	if free >= minFreeBytes {
		return nil
	}
	return fmt.Errorf(
		"%.1f GB are free in %s, where the container engine stores its data, and a cluster needs %.1f GB; free some space there",
		float64(free)/1e9,
		root,
		float64(minFreeBytes)/1e9,
	)
}
