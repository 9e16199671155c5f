package kubelet

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// What is in the folder of one build.
const (
	virtualName = "virtual-node" // the binary of the virtual lane; that of the node lane is named after its component
	labelName   = "binary.json"
	workFolder  = "work"
)

// unfinished is the ending of folders that are being built in.
const unfinished = ".tmp"

// shelfLength is how many builds of both lanes are kept, the most recently used ones: a run of mutants has
// dozens. They take 50 to 80 MB each.
const shelfLength = 48

// inUse is how long a build is kept after its last use, however many there are: a run may have more
// subjects than shelfLength, and starts a virtual node anew for each of its trials.
const inUse = 2 * time.Hour

// keyVersion changes when the same inputs are no longer meant to give the same binary, or are stored in another way.
const keyVersion = "2"

// key is the hash of all inputs. The subject's name is part of the flags, as the binary carries it, and so is its lane.
func (r recipe) key() string {
	hash := sha256.New()
	for _, input := range []any{
		keyVersion, r.modules.goMod, r.modules.goSum, r.flags, r.toolchain,
		r.mutation.Module, r.mutation.File, r.mutation.Within, r.mutation.Now, r.mutation.Mutant,
	} {
		_, _ = fmt.Fprintf(hash, "%q\n", input)
	}
	for _, path := range r.virtual.paths() {
		_, _ = fmt.Fprintf(hash, "%q %q\n", path, r.virtual[path])
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// shelf is the place in the cache for what is made from one set of inputs: a folder named after their hash, which is
// there whole or not at all.
type shelf struct {
	folder, key string
	// name is the binary's file name.
	name string
}

func (s shelf) path() string { return filepath.Join(s.folder, s.key[:12]) }

// find returns what is on the shelf. A binary whose size is not what its label says counts as missing.
func (s shelf) find() (Binary, bool) {
	label, err := os.ReadFile(filepath.Join(s.path(), labelName))
	if err != nil {
		return Binary{}, false
	}
	b := Binary{Path: filepath.Join(s.path(), s.name)}
	if json.Unmarshal(label, &b) != nil {
		return Binary{}, false
	}
	info, err := os.Stat(b.Path)
	if err != nil || info.Size() != b.Size {
		return Binary{}, false
	}
	now := time.Now()
	_ = os.Chtimes(s.path(), now, now) // used now; in a cache that is read-only nothing is removed either
	return b, true
}

// put has something produced in a folder of its own and then puts it on the shelf in one step. The caller
// holds the lock of the cache: so whatever is unfinished is nobody's any more, and is removed.
func (s shelf) put(produce func(folder string) (Binary, error)) (Binary, error) {
	abandoned, err := filepath.Glob(filepath.Join(s.folder, "*"+unfinished))
	if err != nil {
		return Binary{}, fmt.Errorf("looking for interrupted builds: %w", err)
	}
	for _, a := range append(abandoned, s.path()) { // the latter is there only if find took it for damaged
		if err := os.RemoveAll(a); err != nil {
			return Binary{}, fmt.Errorf("removing a build that is not whole: %w", err)
		}
	}
	// The name is new each time: a compiler that outlived the process that was killed may still write to the old one.
	temporary, err := os.MkdirTemp(s.folder, s.key[:12]+".*"+unfinished)
	if err != nil {
		return Binary{}, fmt.Errorf("making a folder to build in: %w", err)
	}
	defer func() { _ = os.RemoveAll(temporary) }() // gone already when all went well
	b, err := produce(temporary)
	if err != nil {
		return Binary{}, err
	}
	b.Path = filepath.Join(s.path(), s.name)
	if err := s.finish(temporary, b); err != nil {
		return Binary{}, err
	}
	if info, err := os.Stat(s.path()); err == nil {
		made.Store(b.Path, info.ModTime())
	}
	return b, s.shorten()
}

// first says that nothing under the same name was ever built from a version with a toolchain, as far as the
// shelf knows.
func (s shelf) first(version, toolchain string) bool {
	labels, _ := filepath.Glob(filepath.Join(s.folder, "*", labelName))
	for _, file := range labels {
		var b Binary
		label, err := os.ReadFile(file)
		if err != nil || json.Unmarshal(label, &b) != nil || b.Toolchain != toolchain {
			continue
		}
		released, _, _ := strings.Cut(b.Version, "+")
		if _, err := os.Stat(filepath.Join(filepath.Dir(file), s.name)); err == nil && released == version {
			return false
		}
	}
	return true
}

// shorten removes the builds that were not used for longest, beyond shelfLength.
func (s shelf) shorten() error {
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		return fmt.Errorf("looking for old builds: %w", err)
	}
	var builds []os.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return fmt.Errorf("looking for old builds: %w", err)
		}
		if info.IsDir() {
			builds = append(builds, info)
		}
	}
	slices.SortFunc(builds, func(a, b os.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, old := range builds[min(shelfLength, len(builds)):] {
		if time.Since(old.ModTime()) < inUse {
			continue
		}
		if err := os.RemoveAll(filepath.Join(s.folder, old.Name())); err != nil {
			return fmt.Errorf("removing an old build: %w", err)
		}
	}
	return nil
}

func (s shelf) finish(temporary string, b Binary) error {
	label, err := json.MarshalIndent(b, "", "  ")
	if err == nil {
		err = os.WriteFile(filepath.Join(temporary, labelName), append(label, '\n'), 0o644)
	}
	if err == nil {
		err = os.RemoveAll(filepath.Join(temporary, workFolder))
	}
	if err == nil {
		err = os.Chmod(temporary, 0o755) // MkdirTemp makes it private
	}
	if err == nil {
		err = os.Rename(temporary, s.path())
	}
	if err != nil {
		return fmt.Errorf("putting the new binary into the cache: %w", err)
	}
	return nil
}

// hashFile returns the SHA-256 of a file in hexadecimal, and its size in bytes.
func hashFile(path string) (string, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = f.Close() }()
	hash := sha256.New()
	size, err := io.Copy(hash, f)
	return hex.EncodeToString(hash.Sum(nil)), size, err
}
