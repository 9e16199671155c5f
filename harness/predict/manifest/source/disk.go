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

	"github.com/podclock/podclock/harness/predict/manifest"
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

// Files replaces each folder by its manifests that are not hidden, and each pattern of [filepath.Match] by what
// fits, in the order of the names.
func Files(named []string, recursive bool) (all []string, err error) {
	if named, err = matched(named); err != nil {
		return nil, err
	}
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
			case entry.IsDir() && path != root && (!recursive || isHidden(path)):
				return filepath.SkipDir
			case !entry.IsDir() && IsManifest(path) && !isHidden(path):
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

// matched replaces the patterns. A file of that very name is none.
func matched(named []string) (all []string, err error) {
	for _, name := range named {
		if !isPattern(name) {
			all = append(all, name)
			continue
		}
		files, err := filepath.Glob(name)
		if err == nil && len(files) == 0 {
			err = errors.New("no file matches it")
		}
		if err != nil {
			return nil, fmt.Errorf("read the manifests %s: %w", name, err)
		}
		all = append(all, files...)
	}
	return all, nil
}

func isPattern(name string) bool {
	_, err := os.Lstat(name)
	return err != nil && strings.ContainsAny(name, "*?[") && !isURL(name)
}

// isHidden reports whether a file or folder configures a program, such as .podclock.yaml or .github.
func isHidden(path string) bool { return strings.HasPrefix(filepath.Base(path), ".") }

// IsManifest reports whether a file has the extension of a manifest.
func IsManifest(file string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file))
}

// Read reads manifests. It reports the problems of all of them, not of the first one only.
func Read(files []string, in io.Reader, templates ...manifest.Template) (manifest.Manifest, error) {
	var all several
	for i, file := range files {
		if slices.Contains(files[:i], file) {
			return manifest.Manifest{}, fmt.Errorf("%s is named twice: name it once", Name(file))
		}
		all.add(one(file, in, templates))
	}
	return all.end()
}

// several joins what files have. It only counts files that are no manifests, unless all are.
type several struct {
	manifest.Manifest
	wrong, others []error
	read          int
}

func (s *several) add(m manifest.Manifest, err error) {
	s.read++
	s.Add(m)
	if other, is := errors.AsType[manifest.Other](err); is {
		s.others = append(s.others, err)
		s.Add(manifest.Manifest{Skipped: []manifest.Skipped{{Kind: other.What, Files: true, Count: 1}}})
	} else if err != nil {
		s.wrong = append(s.wrong, err)
	}
}

func (s *several) end() (manifest.Manifest, error) {
	if len(s.others) == s.read {
		s.wrong = s.others
	}
	return s.Manifest, errors.Join(s.wrong...)
}

func one(name string, in io.Reader, templates []manifest.Template) (manifest.Manifest, error) {
	if isURL(name) {
		return download(name, templates)
	}
	if name != StandardInput {
		file, err := os.Open(name)
		if err != nil {
			return manifest.Manifest{}, fmt.Errorf("read the manifest: %w", err)
		}
		defer func() { _ = file.Close() }()
		in = file
	}
	return built(in, name, Name(name), templates)
}

// built reads a manifest by its name in messages, unless its file is one that Kustomize must build first.
func built(in io.Reader, file, name string, templates []manifest.Template) (manifest.Manifest, error) {
	if slices.Contains([]string{"kustomization.yaml", "kustomization.yml", "Kustomization"}, filepath.Base(file)) {
		const first = "%s describes other manifests: build them, as in `kubectl kustomize %s | podclock predict -`"
		err := fmt.Errorf(first, name, filepath.Dir(file))
		return manifest.Manifest{}, manifest.Other{What: "kustomization to build", Err: err}
	}
	return manifest.Read(in, name, templates...)
}

func isURL(name string) bool {
	return strings.HasPrefix(name, "https://") || strings.HasPrefix(name, "http://")
}

const downloadWithin = 30 * time.Second

func download(from string, templates []manifest.Template) (manifest.Manifest, error) {
	client := http.Client{Timeout: downloadWithin}
	answer, err := client.Get(from)
	if err != nil {
		return manifest.Manifest{}, fmt.Errorf("download the manifest within %v: %w", downloadWithin, err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return manifest.Manifest{}, fmt.Errorf("download the manifest %s: the server says %s", from, answer.Status)
	}
	return manifest.Read(answer.Body, from, templates...)
}
