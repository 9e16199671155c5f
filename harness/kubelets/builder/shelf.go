package builder

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
	"sync"
	"time"
)

// Binary is a program that was built, or the user's own kubelet.
type Binary struct {
	// Path is the file in the cache, or the user's own file.
	Path string `json:"-"`
	// Version is what the program reports, see [kubelet.Subject.Reports].
	Version string `json:"version"`
	// SHA256 is the file's hash in hexadecimal, Size its size in bytes.
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
	// Toolchain is the Go version and the platform. Empty for the user's own kubelet.
	Toolchain string `json:"toolchain"`
	// Env are the environment variables that make a program with many mutations that of one subject.
	Env []string `json:"-"`
}

const (
	labelName  = "binary.json"
	workFolder = "work"
	// unfinished is the suffix of the folders of running builds.
	unfinished = ".tmp"
	// shelfLength is the number of builds that are kept, those used last. A build takes 50 to 80 MB.
	shelfLength = 48
	// inUse is how long a build is kept after its last use. A run may have more subjects than shelfLength.
	inUse = 2 * time.Hour
	// treeLength and treeInUse are the same for the builds of one source tree. Every edit makes one.
	treeLength = 6
	treeInUse  = 15 * time.Minute
)

type shelf struct {
	folder, key string // of all shelves, and the hash of the inputs
	name        string // of the binary's file
	length      int
	inUse       time.Duration
}

func (s shelf) path() string { return filepath.Join(s.folder, s.key[:12]) }

// find returns the binary if it has the size on its label, and marks it as used.
func (s shelf) find() (Binary, bool) {
	b := Binary{Path: filepath.Join(s.path(), s.name)}
	label, err := os.ReadFile(filepath.Join(s.path(), labelName))
	if err != nil || json.Unmarshal(label, &b) != nil {
		return Binary{}, false
	}
	info, err := os.Stat(b.Path)
	if err != nil || info.Size() != b.Size {
		return Binary{}, false
	}
	now := time.Now()
	_ = os.Chtimes(s.path(), now, now) // a read-only cache needs no time of use: nothing is removed there
	return b, true
}

// put makes a binary in a new folder and renames the folder to the shelf's. The caller holds the lock, so
// other unfinished folders are abandoned.
func (s shelf) put(produce func(folder string) (Binary, error)) (Binary, error) {
	abandoned, err := filepath.Glob(filepath.Join(s.folder, "*"+unfinished))
	if err != nil {
		return Binary{}, fmt.Errorf("looking for interrupted builds: %w", err)
	}
	for _, a := range append(abandoned, s.path()) { // s.path exists only if find took it for damaged
		if err := os.RemoveAll(a); err != nil {
			return Binary{}, fmt.Errorf("removing an incomplete build: %w", err)
		}
	}
	// A compiler that outlives its killed parent may still write to an old folder.
	temporary, err := os.MkdirTemp(s.folder, s.key[:12]+".*"+unfinished)
	if err != nil {
		return Binary{}, fmt.Errorf("making a folder to build in: %w", err)
	}
	defer func() { _ = os.RemoveAll(temporary) }() // absent already after a success
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

// first reports whether no shelf has a binary of that name, version and toolchain.
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
	for _, old := range builds[min(s.length, len(builds)):] {
		if time.Since(old.ModTime()) < s.inUse {
			continue
		}
		if err := os.RemoveAll(filepath.Join(s.folder, old.Name())); err != nil {
			return fmt.Errorf("removing an old build: %w", err)
		}
	}
	return nil
}

// made holds the modification times of the folders of binaries that this process built, by path.
var made sync.Map

// Discard removes a binary that this process built, unless another process found it since. A mutation test uses
// each mutant once. The compiler's cache keeps its packages. A program with many mutations stays.
func Discard(b Binary) error {
	if len(b.Env) > 0 {
		return nil
	}
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
