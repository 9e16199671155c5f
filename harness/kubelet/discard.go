package kubelet

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// made are the binaries that this process has put on the shelf: the time of their folders, by path.
var made sync.Map

// Discard takes a binary off the shelf that this process has just built and that nobody has found there
// since. One that was there before, or that another process has found since, stays; who finds it at this
// very moment builds it once more. It is for those who make many and need each once: a proof of a hundred
// mutants would fill the disk with ten gigabytes and push everything else off the shelf, and what was
// compiled for them stays in the compiler's cache, so that making one again costs little more than linking
// it.
func Discard(b Binary) error {
	at, own := made.LoadAndDelete(b.Path)
	if !own {
		return nil
	}
	folder := filepath.Dir(b.Path)
	info, err := os.Stat(folder)
	if err != nil || !info.ModTime().Equal(at.(time.Time)) { // find sets the time
		return nil
	}
	if err := os.RemoveAll(folder); err != nil {
		return fmt.Errorf("discarding %s: %w", b.Path, err)
	}
	return nil
}
