package virtual

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/podclock/podclock/harness/host"
)

const (
	// memory is Linux's file system in memory, room what must be free there.
	memory = "/dev/shm"
	room   = 1 << 30
)

// makeFolder makes a folder for a node's files, in memory if there is room: some trials make thousands of files.
func makeFolder() (string, error) {
	pattern := folderOf(os.Getpid())
	if free, err := host.Free(memory); err == nil && free > room && inMemory(memory) {
		if folder, err := os.MkdirTemp(memory, pattern); err == nil {
			return folder, nil
		}
	}
	return os.MkdirTemp("", pattern)
}

// folderOf begins the names of the folders of a process's nodes. Containers with other PID namespaces may share a
// folder.
func folderOf(pid int) string { return fmt.Sprintf("podclock-virtual-%d-%d-", processes(), pid) }

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
	return err == nil && pid > 0 && host.Gone(pid)
}
