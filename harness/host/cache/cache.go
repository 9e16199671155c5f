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

	"github.com/podclock/podclock/harness/host"
)

// Variable is the environment variable that sets the folder.
const Variable = "PODCLOCK_CACHE"

// lockPoll is the time between two tries of a taken lock. A context cannot interrupt a lock.
const lockPoll = 100 * time.Millisecond

// logAfter is how long Lock waits before it logs whom it waits for.
const logAfter = 2 * time.Second

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
// two seconds which process it waits for. A process that frees the lock and takes it again waits for those that waited.
// The kernel frees the lock when the process ends.
func Lock(ctx context.Context, name string, logf func(format string, args ...any)) (unlock func(), err error) {
	dir, err := Dir()
	if err != nil {
		return nil, err
	}
	// Only one process at a time tries to take the lock. The others wait for their turn.
	turn, err := open(filepath.Join(dir, name+".turn"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = turn.Close() }() // closing frees a lock
	file, err := open(filepath.Join(dir, name+".lock"))
	if err != nil {
		return nil, err
	}
	late := time.After(logAfter)
	say := func() { logf("waiting for %s, which holds %s", holder(file), file.Name()) }
	for _, f := range []*os.File{turn, file} {
		if err := take(ctx, f, late, say); err != nil {
			_ = file.Close()
			return nil, err
		}
	}
	if err := file.Truncate(0); err == nil {
		_, _ = fmt.Fprint(file, os.Getpid()) // for those who wait
	}
	return func() { _ = file.Close() }, nil
}

func open(lock string) (*os.File, error) {
	file, err := os.OpenFile(lock, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening a lock: %w; set %s to a folder you may write to", err, Variable)
	}
	return file, nil
}

func take(ctx context.Context, lock *os.File, late <-chan time.Time, say func()) error {
	ticker := time.NewTicker(lockPoll)
	defer ticker.Stop()
	for {
		err := host.Lock(lock)
		if err == nil {
			return nil
		}
		if !errors.Is(err, host.ErrLocked) {
			return fmt.Errorf("taking the lock %s: %w", lock.Name(), err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for another podclock that holds %s: %w", lock.Name(), context.Cause(ctx))
		case <-late:
			say()
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
