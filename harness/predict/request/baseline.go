package request

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"go.yaml.in/yaml/v3"

	"github.com/podclock/podclock/harness/predict/findings"
)

// baselineFile is the content of a baseline's file.
type baselineFile struct {
	header   `yaml:",inline"`
	Findings []findings.Known `yaml:"findings"`
}

// baseline reads the baseline of the flag or of the file, unless it is to be written.
func (f file) baseline(flag string, write bool) (b findings.Baseline, err error) {
	b.File = flag
	if b.File == "" && f.Baseline != "" {
		b.File = f.beside(f.Baseline)
	}
	switch {
	case b.File == "" && write:
		return b, errors.New("--write-baseline needs a file: name it with --baseline, or as baseline in " + FileName)
	case b.File == "" || write:
		return b, nil
	}
	var content baselineFile
	err = decode(b.File, "baseline", baselineKind, &content, &content.header)
	if errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("%w: podclock predict --write-baseline writes it", err)
	}
	b.Known = content.Findings
	return b, err
}

// WriteBaseline writes the file of a baseline.
func WriteBaseline(b findings.Baseline) error {
	var text bytes.Buffer
	text.WriteString("# Findings that podclock predict ignores. It writes this file with --write-baseline.\n")
	e := yaml.NewEncoder(&text)
	e.SetIndent(2)
	e.CompactSeqIndent()
	err := e.Encode(baselineFile{header{fileVersion, baselineKind}, b.Known})
	if err == nil {
		err = os.WriteFile(b.File, text.Bytes(), 0o644)
	}
	if err != nil {
		return fmt.Errorf("write the baseline: %w", err)
	}
	return nil
}
