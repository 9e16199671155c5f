package builder

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/mutation"
)

// make compiles the program in a folder, and checks the version that it reports.
func (r recipe) make(ctx context.Context, folder string, logf func(string, ...any)) (Binary, error) {
	work := filepath.Join(folder, workFolder)
	if err := r.layOut(ctx, work, logf); err != nil {
		return Binary{}, err
	}
	path, flags := filepath.Join(folder, r.binaryName()), r.flags
	if r.subject.Virtual {
		overlay, err := r.overlay(ctx, work)
		if err != nil {
			return Binary{}, err
		}
		flags = append(slices.Clone(flags), "-overlay", overlay)
	}
	if err := r.compile(ctx, work, path, flags, logf); err != nil {
		return Binary{}, r.explain(err)
	}
	if err := r.check(ctx, path); err != nil {
		return Binary{}, err
	}
	sum, size, err := hashFile(path)
	if err != nil {
		return Binary{}, fmt.Errorf("hashing the new binary: %w", err)
	}
	return Binary{Version: r.subject.Stamp(), SHA256: sum, Size: size, Toolchain: r.toolchain}, nil
}

func (r recipe) check(ctx context.Context, binary string) error {
	args := []string{"--version"}
	switch {
	case r.subject.Virtual:
		args = []string{"-version"}
	case r.component() == mutation.Kubelet:
		args = append(args, r.subject.Args()...)
	}
	got, err := kubelets.AskVersion(ctx, binary, args...)
	if err != nil {
		return fmt.Errorf("running the new binary to read its version: %w", err)
	}
	if want := r.subject.Stamp(); got != want {
		const format = "the new binary reports version %q, not %q: the flags that stamp the version no longer work"
		return fmt.Errorf(format, got, want)
	}
	return nil
}
