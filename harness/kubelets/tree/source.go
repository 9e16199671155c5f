package tree

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/host/cache"
)

const (
	// kept is the number of trees whose files are kept in the cache, those used last. A revision takes 260 MB and a
	// program 80 MB.
	kept = 6
	// inUse is how long a tree's files are kept after their last use.
	inUse      = 2 * time.Hour
	unfinished = ".tmp"
)

// Place returns the tree's own folder in podclock's cache, which stays the same while the tree changes. It marks the
// folder as used.
func (t Tree) Place() (string, error) {
	identity, err := t.Identity()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(identity))
	name := hex.EncodeToString(sum[:])[:abbreviated]
	if t.Revision != "" {
		name = t.Commit[:abbreviated]
	}
	place, err := cache.Dir("trees", name)
	if err != nil {
		return "", err
	}
	now := time.Now()
	return place, cmp.Or(os.Chtimes(place, now, now), shorten(filepath.Dir(place)))
}

// shorten removes what is left of trees that nobody used for long.
func shorten(all string) error {
	entries, err := os.ReadDir(all)
	if err != nil {
		return fmt.Errorf("looking for old source trees: %w", err)
	}
	var places []os.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return fmt.Errorf("looking for old source trees: %w", err)
		}
		places = append(places, info)
	}
	slices.SortFunc(places, func(a, b os.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for i, old := range places {
		if time.Since(old.ModTime()) < inUse || i < kept && !strings.HasSuffix(old.Name(), unfinished) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(all, old.Name())); err != nil {
			return fmt.Errorf("removing an old source tree: %w", err)
		}
	}
	return nil
}

// Source returns the folder with the tree's files: the work tree itself, or podclock's copy of a revision. Nobody may
// change the files.
func (t Tree) Source(ctx context.Context) (string, error) {
	folder, err := t.folder()
	if err != nil || t.Revision == "" {
		return folder, err
	}
	place, err := t.Place()
	if err != nil {
		return "", err
	}
	source := filepath.Join(place, "source")
	if _, err := os.Stat(source); err == nil {
		return source, nil
	}
	r, err := findRepository(folder)
	if err != nil {
		return "", err
	}
	// The files get their place when they are complete. Another process may be faster.
	temporary, err := os.MkdirTemp(filepath.Dir(place), filepath.Base(place)+".*"+unfinished)
	if err != nil {
		return "", fmt.Errorf("making a folder for %s: %w", t, err)
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	complete := filepath.Join(temporary, "source")
	if err := (committed{r, t.Commit}).checkOut(ctx, complete); err != nil {
		return "", fmt.Errorf("copying %s to %s: %w", t, place, cmp.Or(context.Cause(ctx), err))
	}
	if err := os.Rename(complete, source); err != nil {
		if _, other := os.Stat(source); other != nil {
			return "", fmt.Errorf("copying %s to %s: %w", t, place, err)
		}
	}
	return source, nil
}
