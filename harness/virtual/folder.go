package virtual

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"golang.org/x/sys/unix"
)

const (
	// memory is Linux's file system in memory, room what must be free there.
	memory = "/dev/shm"
	room   = 1 << 30
)

// makeFolder makes a folder for a node's files, in memory if there is room: some trials make thousands of files.
func makeFolder() (string, error) {
	pattern := folderOf(os.Getpid())
	var fs unix.Statfs_t
	if unix.Statfs(memory, &fs) == nil && fs.Type == unix.TMPFS_MAGIC && fs.Bavail*uint64(fs.Bsize) > room {
		if folder, err := os.MkdirTemp(memory, pattern); err == nil {
			return folder, nil
		}
	}
	return os.MkdirTemp("", pattern)
}

// folderOf begins the names of the folders of a process's nodes. Containers with other PID namespaces may share a
// folder.
func folderOf(pid int) string { return fmt.Sprintf("podclock-virtual-%d-%d-", processes(), pid) }

// processes identifies this process's PID namespace (pid_namespaces(7)), 0 if unknown.
func processes() uint64 {
	var stat unix.Stat_t
	if unix.Stat("/proc/self/ns/pid", &stat) != nil {
		return 0
	}
	return stat.Ino
}

var folderName = regexp.MustCompile(`^podclock-virtual-(\d+)-(\d+)-\d+$`)

// sweep removes the folders of labs that were killed. What can't be removed stays.
func sweep() {
	for _, parent := range []string{memory, os.TempDir()} {
		entries, _ := os.ReadDir(parent)
		for _, e := range entries {
			if e.IsDir() && abandoned(e.Name()) {
				_ = os.RemoveAll(filepath.Join(parent, e.Name()))
			}
		}
	}
}

func abandoned(name string) bool {
	of := folderName.FindStringSubmatch(name)
	if of == nil || of[1] == "0" || of[1] != strconv.FormatUint(processes(), 10) {
		return false
	}
	pid, err := strconv.Atoi(of[2])
	return err == nil && pid > 0 && errors.Is(unix.Kill(pid, 0), unix.ESRCH)
}
