package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// thirdParty is the file with the texts of all licences.
const thirdParty = "THIRD-PARTY-LICENSES.txt"

// plots is the folder with uPlot, which the program contains besides Go code.
const plots = "reports/render/html/assets"

// allowed are the licences that a program under Apache-2.0 may contain.
var allowed = []string{"Apache-2.0", "MIT", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Unlicense"}

var (
	licence = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense)([.-].*)?$`)
	notice  = regexp.MustCompile(`(?i)^(notice|patents)([.-].*)?$`)
)

// licences writes the licence of each module and of the Go library, and those beside the packages that are compiled.
func (r *files) licences(ctx context.Context) error {
	texts, err := r.texts(ctx)
	if err != nil {
		return err
	}
	all, err := together(r.program.Version, texts)
	if err != nil {
		return err
	}
	return os.WriteFile(r.path(thirdParty), all, 0o644)
}

// together writes all texts as one, or names every work whose licence does not fit.
func together(version string, texts map[string][]byte) ([]byte, error) {
	var all bytes.Buffer
	line := strings.Repeat("=", 100)
	fmt.Fprintf(&all, "podclock %s contains these works of others. The licence of each follows.\n", version)
	var refused []error
	for _, work := range slices.Sorted(maps.Keys(texts)) {
		text := texts[work]
		ids, err := identify(work, text)
		refused = append(refused, err)
		fmt.Fprintf(&all, "\n%s\n%s  %s\n%[1]s\n\n%[4]s\n", line, work, ids, bytes.TrimSpace(text))
	}
	return all.Bytes(), errors.Join(refused...)
}

// identify names the licences of a text, and refuses those that are not allowed.
func identify(work string, text []byte) (string, error) {
	if notice.MatchString(filepath.Base(work)) {
		return "", nil
	}
	var ids []string
	for _, m := range licensecheck.Scan(text).Match {
		if !slices.Contains(ids, m.ID) {
			ids = append(ids, m.ID)
		}
	}
	forbidden := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return slices.Contains(allowed, id) })
	if len(ids) == 0 || len(forbidden) > 0 {
		return "", fmt.Errorf("%s: the licence %q is not known to be compatible", work, ids)
	}
	return strings.Join(ids, ", "), nil
}

// listed is what the go command says about a package.
type listed struct {
	Dir    string
	Module *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// texts returns the licences of everything that a program of the release contains, by its name and file.
func (r *files) texts(ctx context.Context) (map[string][]byte, error) {
	texts := map[string][]byte{}
	root, err := output(ctx, nil, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	if err := add(texts, "Go "+runtime.Version(), string(bytes.TrimSpace(root)), false); err != nil {
		return nil, err
	}
	if err := add(texts, "uPlot", filepath.FromSlash(plots), false); err != nil {
		return nil, err
	}
	for _, p := range platforms {
		args := []string{"list", "-deps", "-json=Dir,Module", "."}
		if p.OS == "linux" {
			args = append(args, "./images/fault", "./images/recorder")
		}
		out, err := output(ctx, p.variables(), args...)
		if err != nil {
			return nil, err
		}
		decoder := json.NewDecoder(bytes.NewReader(out))
		for {
			var l listed
			if err := decoder.Decode(&l); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, fmt.Errorf("reading the list of packages: %w", err)
			}
			if err := l.add(texts); err != nil {
				return nil, err
			}
		}
	}
	return texts, nil
}

// add adds the licences in the folders from a package up to its module.
func (l listed) add(texts map[string][]byte) error {
	if l.Module == nil || l.Module.Main {
		return nil
	}
	for folder := l.Dir; strings.HasPrefix(folder, l.Module.Dir); folder = filepath.Dir(folder) {
		below := strings.TrimPrefix(folder, l.Module.Dir)
		work := l.Module.Path + " " + l.Module.Version + filepath.ToSlash(below)
		if err := add(texts, work, folder, below != ""); err != nil {
			return err
		}
	}
	return nil
}

// add adds the licences in one folder. may is set if there may be none.
func add(texts map[string][]byte, work, folder string, may bool) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("looking for the licence of %s: %w", work, err)
	}
	found := false
	for _, e := range entries {
		is := licence.MatchString(e.Name()) || filepath.Ext(e.Name()) == ".LICENSE"
		none := slices.Contains([]string{".go", ".docs"}, filepath.Ext(e.Name())) // code, or a licence of documents
		if e.IsDir() || none || !is && !notice.MatchString(e.Name()) {
			continue
		}
		found = found || is
		if texts[work+"/"+e.Name()], err = os.ReadFile(filepath.Join(folder, e.Name())); err != nil {
			return fmt.Errorf("reading the licence of %s: %w", work, err)
		}
	}
	if !found && !may {
		return fmt.Errorf("%s has no licence", work)
	}
	return nil
}
