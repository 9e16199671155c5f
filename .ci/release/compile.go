package main

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"time"

	"github.com/podclock/podclock/harness/host/program"
)

// platform is what a program is for.
type platform struct{ OS, Arch string }

var platforms = []platform{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"},
}

// mostBytes bounds a program, so that a dependency that brings much is noticed. linux/amd64 has 84.6 MB: 12 MB are the
// programs of the victims' images, and 31 MB came with Ginkgo and e2e-framework (docs/measurements.md, "What the
// frameworks cost"). They raised the bound by as much.
const mostBytes = 91_000_000

// Name names the platform's files.
func (p platform) Name() string { return "podclock_" + p.OS + "_" + p.Arch }

// Program is the file name of the program once it is installed.
func (p platform) Program() string {
	if p.OS == "windows" {
		return "podclock.exe"
	}
	return "podclock"
}

// file is the program's name among the files of the release.
func (p platform) file() string {
	if p.OS == "windows" {
		return p.Name() + ".exe"
	}
	return p.Name()
}

// variables make the go command compile for the platform, without anything that this host prefers.
func (p platform) variables() []string {
	return []string{
		"GOOS=" + p.OS, "GOARCH=" + p.Arch, "CGO_ENABLED=0", "GOFLAGS=-tags=release", "GOWORK=off", "GOAMD64=v1",
		"GOARM64=v8.0",
	}
}

// compileFor writes the program of a platform.
func (r *files) compileFor(ctx context.Context, p platform) error {
	file := r.path(p.file())
	_, err := output(ctx, p.variables(), "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w -buildid=",
		"-o", file, ".")
	if err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("measuring a program: %w", err)
	}
	fmt.Printf("%s: %.1f MB\n", p.file(), float64(info.Size())/1e6)
	if info.Size() > mostBytes {
		return fmt.Errorf("%s has more than %d MB: what did a new dependency bring?", p.file(), mostBytes/1_000_000)
	}
	return nil
}

func (r *files) compile(ctx context.Context) error {
	for _, p := range platforms {
		if err := r.compileFor(ctx, p); err != nil {
			return err
		}
	}
	info, err := buildinfo.ReadFile(r.path(platforms[0].file()))
	if err != nil {
		return fmt.Errorf("reading the version that Go stamped: %w", err)
	}
	r.program.Info = program.Of(info)
	if r.program.at, err = time.Parse(time.RFC3339, r.program.Date); err != nil {
		return fmt.Errorf("no date was stamped by Go, which takes it from a clone, not from a work tree: %w", err)
	}
	return nil
}

// boms writes the SBOM of each program.
func (r *files) boms(ctx context.Context, module string) error {
	for _, p := range platforms {
		_, err := output(ctx, []string{"GOFLAGS="}, "run", module, "bin", "-json", "-std", "-noserial",
			"-notimestamp", "-version", r.program.Version, "-output", r.path(p.Name()+".cdx.json"), r.path(p.file()))
		if err != nil {
			return err
		}
	}
	return nil
}
