package request

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/podclock/podclock/harness/predict/findings"
)

// FileName is the name of the configuration file.
const FileName = ".podclock.yaml"

const (
	fileVersion  = "podclock.dev/v1alpha1"
	fileKind     = "PredictConfiguration"
	baselineKind = "PredictBaseline"
)

// header is what each file has.
type header struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
}

// file is the content of a configuration file. Each field but the header has a flag.
type file struct {
	header     `yaml:",inline"`
	Kubernetes string `yaml:"kubernetes"`
	// KubeletConfig is a path relative to the file's folder.
	KubeletConfig string `yaml:"kubeletConfig"`
	Ignore        []struct {
		Rule   string `yaml:"rule"`
		Reason string `yaml:"reason"`
	} `yaml:"ignore"`
	// Severities are levels by rule.
	Severities    map[string]string `yaml:"severities"`
	TemplatePaths []string          `yaml:"templatePaths"`
	Presets       []string          `yaml:"presets"`
	// Baseline is a path relative to the file's folder.
	Baseline string `yaml:"baseline"`

	path string
}

// fileOf reads the named configuration file, else the one that is found, else none.
func fileOf(named string) (f file, err error) {
	if named == "" {
		if named, err = found(); named == "" || err != nil {
			return f, err
		}
	}
	f.path = named
	return f, decode(named, "configuration", fileKind, &f, &f.header)
}

// decode reads a file of a kind strictly. what is the kind in words, h the header in the content.
func decode(named, what, kind string, content any, h *header) error {
	text, err := os.ReadFile(named)
	if err != nil {
		return fmt.Errorf("read the %s: %w", what, err)
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(content); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %s", named, inWords(err))
	}
	if h.APIVersion != fileVersion || h.Kind != kind {
		return fmt.Errorf("%s has the apiVersion %q and the kind %q: they must be %s and %s",
			named, h.APIVersion, h.Kind, fileVersion, kind)
	}
	if err := d.Decode(new(any)); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s has more than one document: a %s is one", named, what)
	}
	return nil
}

// found returns the configuration file of the current folder, or of the nearest folder above it in the same git
// repository, or "". Without a repository, only the current folder counts.
func found() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("look for %s: %w", FileName, err)
	}
	nearest, up := "", "."
	for folder := here; ; folder, up = filepath.Dir(folder), filepath.Join(up, "..") {
		if _, err := os.Stat(filepath.Join(folder, FileName)); err == nil && nearest == "" {
			nearest = filepath.Join(up, FileName)
		}
		if _, err := os.Lstat(filepath.Join(folder, ".git")); err == nil {
			return nearest, nil
		}
		if filepath.Dir(folder) == folder {
			break
		}
	}
	if nearest != FileName {
		return "", nil
	}
	return nearest, nil
}

// beside returns a path that is relative to the file.
func (f file) beside(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(f.path), path)
}

// reasons returns why rules are ignored.
func (f file) reasons() (map[string]string, error) {
	all := map[string]string{}
	for i, one := range f.Ignore {
		at := fmt.Sprintf("%s: ignore[%d]", f.path, i)
		if _, err := findings.Named([]string{one.Rule}); err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		if all[one.Rule] = strings.TrimSpace(one.Reason); all[one.Rule] == "" {
			return nil, fmt.Errorf("%s: %s is ignored without a reason: give one", at, one.Rule)
		}
	}
	return all, nil
}

var (
	unknownField = regexp.MustCompile(`field (\S+) not found in type \S+`)
	wrongType    = regexp.MustCompile("cannot unmarshal !!\\S+( `[^`]*`)? into (\\S+)")
)

// inWords writes a decoder's error without Go's types.
func inWords(err error) string {
	says := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "yaml: "), "unmarshal errors:\n")
	says = unknownField.ReplaceAllString(says, "unknown field $1")
	says = wrongType.ReplaceAllStringFunc(says, func(s string) string {
		part := wrongType.FindStringSubmatch(s)
		wanted := "a string"
		switch {
		case strings.HasPrefix(part[2], "[]"):
			wanted = "a list"
		case strings.ContainsAny(part[2], "[.{"): // a map or a struct
			wanted = "a mapping"
		}
		return strings.TrimSpace(part[1] + " is not " + wanted)
	})
	return strings.TrimSpace(says)
}
