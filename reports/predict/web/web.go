// Package web writes the web page that predicts without a server: a folder of files for any static host. The page
// runs podclock itself, as WebAssembly. See docs/predictions.md.
package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"html/template"
	"os"
	"os/exec"
	"path/filepath"
	text "text/template"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/predict/preset"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/drawing"
	"github.com/podclock/podclock/reports/drawing/page"
	"github.com/podclock/podclock/reports/predict/forecast"
)

//go:embed page.tmpl
var pageText string

//go:embed style.css
var style string

//go:embed page.js
var script []byte

//go:embed offline.js
var offlineText string

//go:embed example.yaml
var example string

// program is the file of the page's program, loader the file with which Go's distribution starts it.
const (
	program = "podclock.wasm"
	loader  = "wasm_exec.js"
)

// Build writes the page's files to a folder. It needs Go and podclock's sources in the current folder or above it.
// The program is built again only if its sources have changed.
func Build(ctx context.Context, folder string) error {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return fmt.Errorf("build the web page: %w", err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("build the web page: %w", err)
	}
	wasm := filepath.Join(folder, program)
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", wasm,
		"github.com/podclock/podclock/reports/predict/web/wasm")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the web page's program: %w: %s", err, out)
	}
	files, err := written(ctx)
	if err != nil {
		return fmt.Errorf("build the web page: %w", err)
	}
	code, err := os.ReadFile(wasm)
	if err != nil {
		return fmt.Errorf("build the web page: %w", err)
	}
	sum, names := sha256.New(), []string{program}
	sum.Write(code)
	for _, f := range files {
		names = append(names, f.name)
		sum.Write(f.content)
	}
	offline, err := offlineScript(fmt.Sprintf("%.8x", sum.Sum(nil)), names)
	if err != nil {
		return fmt.Errorf("build the web page: %w", err)
	}
	for _, f := range append(files, file{"offline.js", offline}) {
		if err := os.WriteFile(filepath.Join(folder, f.name), f.content, 0o644); err != nil {
			return fmt.Errorf("build the web page: %w", err)
		}
	}
	return nil
}

type file struct {
	name    string
	content []byte
}

// written returns the page's files except the program and the script that keeps them.
func written(ctx context.Context) ([]file, error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("find the distribution of Go: %w", err)
	}
	start, err := os.ReadFile(filepath.Join(string(bytes.TrimSpace(root)), "lib", "wasm", loader))
	if err != nil {
		return nil, fmt.Errorf("read what starts a program in a browser: %w", err)
	}
	t, err := template.New("page").Funcs(template.FuncMap{"words": effective.Words}).Parse(pageText)
	if err != nil {
		return nil, fmt.Errorf("parse the page: %w", err)
	}
	var b bytes.Buffer
	styles := page.Style() + drawing.Style() + forecast.Style() + style
	err = t.Execute(&b, map[string]any{
		"Policy":   page.SitePolicy(),
		"Style":    template.CSS(styles), // #nosec: all are files of this program
		"Shapes":   template.HTML(drawing.Shapes()),
		"Key":      template.HTML(drawing.Key()),
		"Versions": formula.Patches(),
		"Presets":  preset.All(),
		"Example":  example,
	})
	if err != nil {
		return nil, fmt.Errorf("write the page: %w", err)
	}
	return []file{{"index.html", b.Bytes()}, {"page.js", script}, {loader, start}}, nil
}

// offlineScript returns the script that keeps the files in the browser.
func offlineScript(version string, names []string) ([]byte, error) {
	t, err := text.New("offline").Parse(offlineText)
	if err != nil {
		return nil, fmt.Errorf("parse the script that keeps the files: %w", err)
	}
	var b bytes.Buffer
	err = t.Execute(&b, map[string]any{"Version": version, "Files": names})
	return b.Bytes(), err
}
