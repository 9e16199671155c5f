package images

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/cache"
)

// Program is one of podclock's own programs as an image.
type Program struct {
	// Ref is the image's reference, Archive the docker-archive that holds it.
	Ref, Archive string
}

// Build compiles one of the programs in this folder ("fault", "recorder") and makes an image of it, named after its content. The go
// command's own cache makes an unchanged program a matter of a second, and an image that is there is not made again.
func Build(ctx context.Context, program string, log io.Writer) (Program, error) {
	began := time.Now()
	dir, err := cache.Dir("programs")
	if err != nil {
		return Program{}, err
	}
	work, err := os.MkdirTemp(dir, program+"-*.tmp")
	if err != nil {
		return Program{}, fmt.Errorf("make room to build the %s image: %w", program, err)
	}
	defer os.RemoveAll(work)
	binary := filepath.Join(work, program)
	if err := compile(ctx, program, binary); err != nil {
		return Program{}, err
	}
	image := Single{Binary: binary, Path: "/" + program}
	hash, err := image.ContentHash()
	if err != nil {
		return Program{}, err
	}
	image.Ref = Ref(program, hash)
	p := Program{Ref: image.Ref, Archive: filepath.Join(dir, fmt.Sprintf("%s-%.12s.tar", program, hash))}
	if _, err := os.Stat(p.Archive); err == nil {
		return p, nil
	}
	if err := image.WriteArchive(p.Archive); err != nil {
		return Program{}, err
	}
	_, err = fmt.Fprintf(log, "image %s built in %v\n", p.Ref, time.Since(began).Round(100*time.Millisecond))
	return p, err
}

// compile makes a static binary, the same bytes wherever the checkout stands.
func compile(ctx context.Context, program, binary string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", binary,
		"github.com/podclock/podclock/images/"+program)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compile images/%s: %w: %s", program, err, strings.TrimSpace(string(out)))
	}
	return nil
}
