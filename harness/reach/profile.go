package reach

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"

	"golang.org/x/tools/cover"

	"github.com/podclock/podclock/harness/kubelets/gosource"
)

// readProfile returns what one trial executed, by file. folder has the data that the trial's node wrote.
func readProfile(ctx context.Context, folder string) ([]*cover.Profile, error) {
	text := filepath.Join(folder, "profile.txt")
	convert := exec.CommandContext(ctx, "go", "tool", "covdata", "textfmt", "-i="+folder, "-o="+text)
	if out, err := convert.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("reading the coverage of %s: %w: %s", folder, err, out)
	}
	profiles, err := cover.ParseProfiles(text)
	if err != nil {
		return nil, fmt.Errorf("reading the coverage of %s: %w", folder, err)
	}
	if len(profiles) == 0 {
		return nil, fmt.Errorf("the coverage in %s has no file: the node was not built with -cover", folder)
	}
	return profiles, nil
}

// add records what a trial executed. source reads the source of a file.
func (m *Map) add(id string, profiles []*cover.Profile, parts []Part, source func(file string) ([]byte, error)) error {
	trial := len(m.Trials)
	m.Trials = append(m.Trials, id)
	for _, p := range profiles {
		if !holds(parts, p.FileName) {
			continue
		}
		i := slices.IndexFunc(m.Files, func(f File) bool { return f.Name == p.FileName })
		if i < 0 {
			text, err := source(p.FileName)
			if err != nil {
				return err
			}
			f, err := newFile(p, text)
			if err != nil {
				return err
			}
			i, m.Files = len(m.Files), append(m.Files, f)
		}
		if err := m.Files[i].add(trial, p.Blocks); err != nil {
			return fmt.Errorf("%s in %s: %w", p.FileName, id, err)
		}
	}
	return nil
}

// newFile returns a file with all its blocks, none of them reached.
func newFile(p *cover.Profile, source []byte) (File, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		return File{}, fmt.Errorf("parsing %s: %w", p.FileName, err)
	}
	f := File{Name: p.FileName}
	for _, d := range parsed.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
			line, end := files.Position(d.Pos()).Line, files.Position(d.End()).Line
			own := Function{Name: gosource.FunctionName(d), Line: line}
			for _, b := range p.Blocks {
				if b.StartLine >= line && b.EndLine <= end {
					own.Blocks = append(own.Blocks, Block{
						Line: b.StartLine, Column: b.StartCol, EndLine: b.EndLine, EndColumn: b.EndCol,
						Statements: b.NumStmt,
					})
				}
			}
			f.Functions = append(f.Functions, own)
		}
	}
	return f, nil
}

func (f *File) add(trial int, blocks []cover.ProfileBlock) error {
	type start struct{ line, column int }
	executed := map[start]bool{}
	for _, b := range blocks {
		executed[start{b.StartLine, b.StartCol}] = b.Count > 0
	}
	for i := range f.Functions {
		for j := range f.Functions[i].Blocks {
			b := &f.Functions[i].Blocks[j]
			count, known := executed[start{b.Line, b.Column}]
			if !known {
				return errors.New("a trial's coverage is of another program")
			}
			if count {
				b.Trials = append(b.Trials, trial)
			}
		}
	}
	return nil
}

// sort puts files in the order of their names.
func (m *Map) sort() {
	slices.SortFunc(m.Files, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
}
