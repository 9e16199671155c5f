// Release makes the files of a release of podclock in a folder: programs, archives, man pages, completions, licences,
// SBOMs, the program's image, a Homebrew formula, a krew manifest and checksums. Equal commits and Go tools give equal
// files. It runs in a checkout:
//
//	go run ./.ci/release --sbom=MODULE@VERSION FOLDER
//	go run ./.ci/release FOLDER  # only the program for linux/amd64
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/podclock/podclock/images"
)

func main() {
	sbom := flag.String("sbom", "", "the program cyclonedx-gomod, as go run names it")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "call it as go run ./.ci/release [--sbom=MODULE@VERSION] FOLDER")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := release(ctx, flag.Arg(0), *sbom)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release empties the folder first, so it contains nothing of an earlier release.
func release(ctx context.Context, folder, sbom string) error {
	if err := os.RemoveAll(folder); err != nil {
		return fmt.Errorf("emptying the folder: %w", err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("making the folder: %w", err)
	}
	if err := images.Embed(ctx, "images/embedded"); err != nil {
		return err
	}
	r := &files{folder: folder}
	if sbom == "" {
		return r.compileFor(ctx, platforms[0])
	}
	for _, step := range []func(context.Context) error{
		r.compile, r.describe, r.licences, func(ctx context.Context) error { return r.boms(ctx, sbom) }, r.archives,
		r.image, r.manifests, r.sums,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	fmt.Printf("podclock %s: %s\n", r.program.Version, folder)
	return nil
}
