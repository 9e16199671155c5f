// Package source reads manifests from files, folders, addresses, standard input and git revisions.
package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/manifest"
)

// StandardInput stands for the reader that is given beside the names.
const StandardInput = "-"

// Name returns how to call what was named.
func Name(named string) string {
	if named == StandardInput {
		return "standard input"
	}
	return named
}

// Files replaces each folder by its manifests, in the order of their names.
func Files(named []string, recursive bool) (all []string, err error) {
	for _, name := range named {
		if info, err := os.Stat(name); name == StandardInput || err != nil || !info.IsDir() {
			all = append(all, name) // a missing file is an error when it is read
			continue
		}
		before, root := len(all), name+string(filepath.Separator) // what a link to a folder leads to
		err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && path != root && !recursive:
				return filepath.SkipDir
			case !entry.IsDir() && isManifest(path):
				all = append(all, path)
			}
			return nil
		})
		switch {
		case err != nil:
			return nil, fmt.Errorf("read the folder: %w", err)
		case len(all) == before && !recursive:
			return nil, fmt.Errorf("there is no .yaml, .yml or .json file in %s: -R reads folders below it, too", name)
		case len(all) == before:
			return nil, fmt.Errorf("there is no .yaml, .yml or .json file in or below %s", name)
		}
	}
	return all, nil
}

func isManifest(file string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file))
}

// Read reads manifests. It reports the problems of all of them, not of the first one only.
func Read(files []string, in io.Reader) (all manifest.Manifest, err error) {
	var wrong []error
	for i, file := range files {
		if slices.Contains(files[:i], file) {
			return manifest.Manifest{}, fmt.Errorf("%s is named twice: name it once", Name(file))
		}
		m, err := one(file, in)
		all.Add(m)
		if err != nil {
			wrong = append(wrong, err)
		}
	}
	return all, errors.Join(wrong...)
}

func one(name string, in io.Reader) (manifest.Manifest, error) {
	if isURL(name) {
		return download(name)
	}
	if name != StandardInput {
		file, err := os.Open(name)
		if err != nil {
			return manifest.Manifest{}, fmt.Errorf("read the manifest: %w", err)
		}
		defer func() { _ = file.Close() }()
		in = file
	}
	return built(in, name, Name(name))
}

// built reads a manifest by its name in messages, unless its file is one that Kustomize must build first.
func built(in io.Reader, file, name string) (manifest.Manifest, error) {
	if slices.Contains([]string{"kustomization.yaml", "kustomization.yml", "Kustomization"}, filepath.Base(file)) {
		const first = "%s describes other manifests: build them, as in `kubectl kustomize %s | podclock predict -`"
		return manifest.Manifest{}, fmt.Errorf(first, name, filepath.Dir(file))
	}
	return manifest.Read(in, name)
}

func isURL(name string) bool {
	return strings.HasPrefix(name, "https://") || strings.HasPrefix(name, "http://")
}

const downloadWithin = 30 * time.Second

func download(from string) (manifest.Manifest, error) {
	client := http.Client{Timeout: downloadWithin}
	answer, err := client.Get(from)
	if err != nil {
		return manifest.Manifest{}, fmt.Errorf("download the manifest within %v: %w", downloadWithin, err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return manifest.Manifest{}, fmt.Errorf("download the manifest %s: the server says %s", from, answer.Status)
	}
	return manifest.Read(answer.Body, from)
}
