package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/podclock/podclock/harness/host/program"
)

// files are those of a release.
type files struct {
	folder  string
	program stamp
	// checksums are the SHA-256 of the archives by their platforms' names.
	checksums map[string]string
}

func (r *files) path(name ...string) string {
	return filepath.Join(append([]string{r.folder}, name...)...)
}

// stamp is what Go wrote into the programs: version, commit and the commit's date.
type stamp struct {
	program.Info
	at time.Time
}

// output runs the go command, with additional variables, and returns what it prints.
func output(ctx context.Context, variables []string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, "go", args...)
	c.Env = append(os.Environ(), variables...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c, err)
	}
	return out, nil
}
