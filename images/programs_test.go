package images

import (
	"bytes"
	"context"
	"debug/elf"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/podclock/podclock/harness/host/cache"
)

func TestBuildsTheProgramsOnceEach(t *testing.T) {
	skipInShort(t)
	folder := cacheFolder(t)
	for _, program := range []string{Fault, Recorder} {
		var log bytes.Buffer
		built, err := Build(context.Background(), program, runtime.GOARCH, &log)
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile("^localhost/podclock/" + program + ":[0-9a-f]{12}$").MatchString(built.Ref) {
			t.Errorf("the image is called %q", built.Ref)
		}
		if !strings.Contains(log.String(), built.Ref) {
			t.Errorf("the log does not contain %s: %q", built.Ref, log.String())
		}
		checkImage(t, built, "/"+program)

		before, err := os.Stat(built.Archive)
		if err != nil {
			t.Fatal(err)
		}
		log.Reset()
		again, err := Build(context.Background(), program, runtime.GOARCH, &log)
		if err != nil {
			t.Fatal(err)
		}
		after, err := os.Stat(again.Archive)
		if err != nil {
			t.Fatal(err)
		}
		if again != built || log.Len() > 0 || !after.ModTime().Equal(before.ModTime()) {
			t.Errorf("an unchanged program was made again: %v after %v, log %q", again, built, log.String())
		}
	}
	left, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(left) != 2 {
		t.Errorf("the cache holds %q, want two archives and nothing else (%v)", left, err)
	}
}

// skipInShort leaves a test that compiles programs to make test-images.
func skipInShort(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles programs")
	}
}

// cacheFolder is where Build keeps the programs for the time of the test.
func cacheFolder(t testing.TB) string {
	t.Helper()
	t.Setenv(cache.Variable, t.TempDir())
	dir, err := cache.Dir("programs")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func checkImage(t *testing.T, built Program, path string) {
	t.Helper()
	ref, err := name.NewTag(built.Ref)
	if err != nil {
		t.Fatal(err)
	}
	image, err := tarball.ImageFromPath(built.Archive, &ref)
	if err != nil {
		t.Fatal(err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if got := config.Config.Entrypoint; len(got) != 1 || got[0] != path {
		t.Errorf("the entrypoint of %s is %q, want %q", built.Ref, got, path)
	}
}

// There is no loader and no library in the images.
func TestTheProgramsAreStatic(t *testing.T) {
	skipInShort(t)
	for _, program := range []string{Fault, Recorder} {
		file := filepath.Join(t.TempDir(), program)
		if err := compile(context.Background(), program, runtime.GOARCH, file); err != nil {
			t.Fatal(err)
		}
		binary, err := elf.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, segment := range binary.Progs {
			if segment.Type == elf.PT_INTERP || segment.Type == elf.PT_DYNAMIC {
				t.Errorf("%s is linked dynamically", program)
			}
		}
		_ = binary.Close()
	}
}

func TestBuildSaysWhatIsWrong(t *testing.T) {
	if _, err := Build(
		context.Background(),
		"victim", runtime.GOARCH,
		io.Discard,
	); err == nil ||
		!strings.Contains(err.Error(), "fault or recorder") {
		t.Errorf("an unknown program: %v", err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	folder := cacheFolder(t)
	_, err := Build(cancelled, Fault, runtime.GOARCH, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "fault") {
		t.Errorf("a cancelled build: %v", err)
	}
	if left, _ := os.ReadDir(folder); len(left) != 0 {
		t.Errorf("a cancelled build left %v", left)
	}
	t.Chdir(t.TempDir())
	_, err = Build(context.Background(), Fault, runtime.GOARCH, io.Discard)
	if err == nil || !strings.Contains(err.Error(), module) {
		t.Errorf("a build outside the module: %v", err)
	}
}

func BenchmarkUnchangedBuild(b *testing.B) {
	cacheFolder(b)
	for _, program := range []string{Fault, Recorder} {
		b.Run(program, func(b *testing.B) {
			if _, err := Build(b.Context(), program, runtime.GOARCH, io.Discard); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := Build(b.Context(), program, runtime.GOARCH, io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
