package images

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/cache"
)

// The programs of podclock's own images: the folders beside this file.
const (
	Fault    = "fault"
	Recorder = "recorder"
)

// module is podclock's own: the programs are packages of it.
const module = "github.com/podclock/podclock"

// Program is a built image of one of podclock's programs.
type Program struct {
	// Ref is the image's name, which changes with its content.
	Ref string
	// Other and StopSignal are the names of the same program's further images: victim.OtherImage and
	// victim.StopSignalImage. Only Fault has them.
	Other, StopSignal string
	// Archive is a docker-archive on this host that holds all of them.
	Archive string
}

// Build makes the image of a program and keeps it in podclock's cache folder, named after its content: what
// is there already is not made again. It needs the Go tool and a working directory inside podclock's
// module. A line goes to log when an image is made.
//
// The program itself is built every time. That costs the Go tool's look at its own cache, a fraction of a
// second, and cannot miss a changed input, as a hash over source files of our own could.
func Build(ctx context.Context, program string, log io.Writer) (Program, error) {
	began := time.Now()
	if program != Fault && program != Recorder {
		return Program{}, fmt.Errorf("building the image of program %q: it is %s or %s", program, Fault, Recorder)
	}
	dir, err := cache.Dir("programs")
	if err != nil {
		return Program{}, fmt.Errorf("building the image of program %s: %w", program, err)
	}
	work, err := os.MkdirTemp(dir, program+"-*.tmp")
	if err != nil {
		return Program{}, fmt.Errorf("making a folder to build program %s in: %w", program, err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	binary := filepath.Join(work, program)
	if err := compile(ctx, program, binary); err != nil {
		return Program{}, err
	}
	base, err := Single{Binary: binary, Path: "/" + program}.Image()
	if err != nil {
		return Program{}, err
	}
	built, images, err := named(program, base)
	if err != nil {
		return Program{}, err
	}
	built.Archive = filepath.Join(dir, program+"-"+key(images)+".tar")
	switch _, err := os.Stat(built.Archive); {
	case err == nil:
		return built, nil
	case !errors.Is(err, fs.ErrNotExist):
		return Program{}, fmt.Errorf("looking for the image of program %s: %w", program, err)
	}
	if err := writeArchive(built.Archive, images); err != nil {
		return Program{}, err
	}
	if _, err := fmt.Fprintf(
		log,
		"image %s built in %v\n",
		built.Ref,
		time.Since(began).Round(100*time.Millisecond),
	); err != nil {
		return Program{}, fmt.Errorf("saying that image %s was built: %w", built.Ref, err)
	}
	return built, nil
}

// compile builds a static binary that is the same on every machine with the same Go tool.
func compile(ctx context.Context, program, file string) error {
	cmd := exec.CommandContext(
		ctx,
		"go",
		"build",
		"-trimpath",
		"-buildvcs=false",
		"-ldflags=-s -w -buildid=",
		"-o",
		file,
		module+"/images/"+program,
	)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	out, err := cmd.CombinedOutput()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("building program %s: the Go tool is not in PATH: %w", program, err)
	case ctx.Err() != nil:
		return fmt.Errorf("building program %s: %w", program, ctx.Err())
	case err != nil:
		return fmt.Errorf(
			"building program %s (from a folder inside module %s?): %w: %s",
			program,
			module,
			err,
			strings.TrimSpace(string(out)),
		)
	}
	return nil
}
