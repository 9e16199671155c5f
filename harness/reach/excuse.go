package reach

import (
	"context"
	"slices"
	"strings"
)

// Excuse puts the reasons into the blocks that no trial executes, in place of those that are there. It returns those
// that are not needed: their code is gone, or trials reach it.
func (m *Map) Excuse(ctx context.Context, all []Excuse) (unneeded []Excuse, err error) {
	source := Sources(ctx, m.Version)
	used := make([]bool, len(all))
	for i := range m.Files {
		f := &m.Files[i]
		text, err := source(f.Name)
		if err != nil {
			return nil, err
		}
		f.excuse(strings.Split(string(text), "\n"), all, used)
	}
	for i, e := range all {
		if !used[i] {
			unneeded = append(unneeded, e)
		}
	}
	return unneeded, nil
}

func (f *File) excuse(lines []string, all []Excuse, used []bool) {
	for i := range f.Functions {
		for j := range f.Functions[i].Blocks {
			b := &f.Functions[i].Blocks[j]
			b.Excuse, b.Because = "", ""
			if b.Reached() {
				continue
			}
			code := strings.Join(lines[b.Line-1:min(b.EndLine, len(lines))], "\n")
			for k, e := range all {
				if e.File == f.Name && e.Function == f.Functions[i].Name && strings.Contains(code, e.Code) {
					used[k] = true
					if b.Excuse == "" {
						b.Excuse, b.Because = e.Why, e.Because
					}
				}
			}
		}
	}
}

// Excuses returns the reasons for all code that no trial needs to execute.
func Excuses() []Excuse {
	return slices.Concat(kubeletExcuses, runtimeExcuses, allocationExcuses, otherExcuses)
}
