package markdown

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/reach"
)

// Reach writes which code the trials execute, and everything that they do not.
func Reach(w io.Writer, m reach.Map) error {
	var d Document
	all := reach.Share{}
	for _, f := range m.Files {
		all = all.Plus(f.Share())
	}
	d.Line("# Which code of Kubernetes the trials execute\n")
	d.Line("%d trials on a virtual node of %s execute %d of %d statements of the code that decides how pods die and "+
		"restart. %d more are excused: %.1f %% together.", len(m.Trials), m.Version, all.Reached, all.Statements,
		all.Excused, all.Percent())
	d.Line("\n| file | statements | reached | excused | open |\n|---|---:|---:|---:|---:|")
	for _, f := range m.Files {
		s := f.Share()
		d.Line("| `%s` | %d | %d | %d | %d |", short(f.Name), s.Statements, s.Reached, s.Excused,
			s.Statements-s.Reached-s.Excused)
	}
	for _, f := range m.Files {
		if s := f.Share(); s.Reached == s.Statements {
			continue
		}
		d.Line("\n## `%s`\n", short(f.Name))
		for _, function := range f.Functions {
			if line := unreached(function); line != "" {
				d.Line("- %s", line)
			}
		}
	}
	_, err := io.WriteString(w, d.String())
	return err
}

// short returns a file's name without what all have.
func short(file string) string { return strings.TrimPrefix(file, "k8s.io/kubernetes/pkg/") }

// unreached says which lines of a function no trial executes, and why none needs to. It is empty if all are executed.
func unreached(f reach.Function) string {
	s := f.Share()
	if s.Reached == s.Statements {
		return ""
	}
	text := fmt.Sprintf("`%s`, %d of %d reached", f.Name, s.Reached, s.Statements)
	var open, reasons []string
	for _, b := range f.Blocks {
		switch {
		case b.Reached():
		case b.Excuse == "":
			open = append(open, lines(b))
		default:
			reason := string(b.Excuse)
			if b.Because != "" {
				reason += ": " + b.Because
			}
			if !slices.Contains(reasons, reason) {
				reasons = append(reasons, reason)
			}
		}
	}
	for _, reason := range reasons {
		text += "; " + Escape(reason)
	}
	if len(open) > 0 {
		text += "; **open:** " + strings.Join(open, ", ")
	}
	return text
}

func lines(b reach.Block) string {
	if b.Line == b.EndLine {
		return fmt.Sprint(b.Line)
	}
	return fmt.Sprintf("%d–%d", b.Line, b.EndLine)
}
