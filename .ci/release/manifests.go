package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"strings"
	"text/template"
)

// repository is where a release is published.
const repository = "github.com/podclock/podclock"

var (
	//go:embed podclock.rb.tmpl
	formula string
	//go:embed krew.yaml.tmpl
	plugin string
)

// manifests writes the Homebrew formula and the krew manifest. Both name the archives with their checksums.
func (r *files) manifests(context.Context) error {
	facts := map[string]any{
		"Version": r.program.Version, "Number": strings.TrimPrefix(r.program.Version, "v"),
		"Home":      "https://" + repository,
		"Archives":  "https://" + repository + "/releases/download/" + r.program.Version,
		"Platforms": platforms,
	}
	functions := template.FuncMap{
		"sum": func(p platform) string { return r.checksums[p.Name()] },
		"of":  func(os, arch string) platform { return platform{os, arch} },
	}
	for file, text := range map[string]string{"podclock.rb": formula, "krew.yaml": plugin} {
		t, err := template.New(file).Funcs(functions).Parse(text)
		if err != nil {
			return fmt.Errorf("reading the template of %s: %w", file, err)
		}
		var out bytes.Buffer
		if err := t.Execute(&out, facts); err != nil {
			return fmt.Errorf("filling the template of %s: %w", file, err)
		}
		if err := os.WriteFile(r.path(file), out.Bytes(), 0o644); err != nil {
			return fmt.Errorf("writing %s: %w", file, err)
		}
	}
	return nil
}
