// Package cache finds the folder with everything that podclock builds, and locks it between processes. Everything in
// the folder may be deleted at any time, and is then built again.
package cache

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Variable is the environment variable that sets the folder.
const Variable = "PODCLOCK_CACHE"

// lockPoll is the time between two tries of a taken lock. A context cannot interrupt flock(2).
const lockPoll = 100 * time.Millisecond

// patience is how long Lock waits before it says so.
const patience = 2 * time.Second

// Dir returns the absolute path of the cache folder, or of a folder inside it, and creates it.
func Dir(inside ...string) (string, error) {
	dir := os.Getenv(Variable)
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("finding the cache folder: %w; set %s", err, Variable)
		}
		dir = filepath.Join(user, "podclock")
	}
	dir, err := filepath.Abs(filepath.Join(append([]string{dir}, inside...)...))
	if err != nil {
		return "", fmt.Errorf("finding the cache folder: %w; set %s to an absolute path", err, Variable)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("creating the cache folder: %w; set %s to a folder you may write to", err, Variable)
	}
	return dir, nil
}

// Lock takes the lock of that name among all processes that share this cache. It waits until ctx ends, and logs after
// two seconds which process it waits for. The kernel frees the lock when the process ends.
func Lock(ctx context.Context, name string, logf func(format string, args ...any)) (unlock func(), err error) {
	dir, err := Dir()
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, name+".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening the %s lock: %w; set %s to a folder you may write to", name, err, Variable)
	}
	ticker := time.NewTicker(lockPoll)
	defer ticker.Stop()
	late := time.After(patience)
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			if err := file.Truncate(0); err == nil {
				_, _ = fmt.Fprint(file, os.Getpid()) // for those who wait
			}
			return func() { _ = file.Close() }, nil // closing frees the lock
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			_ = file.Close()
			return nil, fmt.Errorf("taking the lock %s: %w", file.Name(), err)
		}
		select {
		case <-ctx.Done():
			_ = file.Close()
			return nil, fmt.Errorf("waiting for another podclock that holds %s: %w", file.Name(), context.Cause(ctx))
		case <-late:
			logf("waiting for %s, which holds %s", holder(file), file.Name())
		case <-ticker.C:
		}
	}
}

func holder(lock *os.File) string {
	pid := make([]byte, 20)
	if n, _ := lock.ReadAt(pid, 0); n > 0 {
		return "process " + string(pid[:n])
	}
	return "another podclock"
}
