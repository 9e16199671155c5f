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
	// memory is where Linux has a file system in memory, room what must be free there: what the largest
	// node of a trial may store, for several nodes.
	memory = "/dev/shm"
	room   = 1 << 30
)

// makeFolder makes a folder for a node's files: in memory where there is room. Some trials make thousands
// of files, which took a busy disk ten seconds, and takes memory half of one.
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

// folderOf begins the names of the folders of a process' nodes. The process' number alone would not do
// where containers share a folder: each may have processes of its own.
func folderOf(pid int) string { return fmt.Sprintf("podclock-virtual-%d-%d-", processes(), pid) }

// processes names the set of processes (pid_namespaces(7)) that this one belongs to, 0 where that can't be told.
func processes() uint64 {
	var stat unix.Stat_t
	if unix.Stat("/proc/self/ns/pid", &stat) != nil {
		return 0
	}
	return stat.Ino
}

// folderName is what folderOf and os.MkdirTemp make: the number of the set of processes, and that of the process.
var folderName = regexp.MustCompile(`^podclock-virtual-(\d+)-(\d+)-\d+$`)

// sweep removes what labs that were killed have left of their nodes' folders. What can't be removed, such
// as another user's, stays.
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

// abandoned says whether a name is that of a folder whose lab is dead.
func abandoned(name string) bool {
	of := folderName.FindStringSubmatch(name)
	if of == nil || of[1] == "0" || of[1] != strconv.FormatUint(processes(), 10) {
		return false
	}
	pid, err := strconv.Atoi(of[2])
	return err == nil && pid > 0 && errors.Is(unix.Kill(pid, 0), unix.ESRCH)
}
