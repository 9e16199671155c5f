// Release makes the files of a release of podclock in a folder: programs, archives, man pages, completions, licences,
// SBOMs, the program's image, a Homebrew formula, a krew manifest and checksums. Equal commits and Go tools give equal
// files. It runs in a checkout:
//
//	go run ./release --sbom=MODULE@VERSION FOLDER
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	sbom := flag.String("sbom", "", "the program cyclonedx-gomod, as go run names it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *sbom == "" || flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "call it as go run ./release --sbom=MODULE@VERSION FOLDER")
		os.Exit(2)
	}
	if err := release(ctx, flag.Arg(0), *sbom); err != nil {
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
	if err := embed(ctx); err != nil {
		return err
	}
	r := &files{folder: folder}
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

// embed writes the programs of victim and recorder to the folder from which the build tag release embeds them.
// Temporary: a checkout without this command makes programs that still need Go for those two.
func embed(ctx context.Context) error {
	help, err := output(ctx, nil, "go", "run", ".", "images", "embed", "--help")
	if err == nil && bytes.Contains(help, []byte("podclock images embed ")) {
		_, err = output(ctx, nil, "go", "run", ".", "images", "embed", "images/embedded")
		return err
	}
	fmt.Fprintln(os.Stderr, "release: there is no command podclock images embed: victim and recorder are left out")
	return nil
}
