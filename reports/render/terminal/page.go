package terminal

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/host/screen"
	"github.com/podclock/podclock/harness/measure/trial"
)

// Options describe the reader of a report.
type Options struct {
	Screen screen.Screen
	// Folder is where the run was saved. If it is empty, the report names no files.
	Folder string
	// NoClaims leaves out the claims of deviating trials, because Ginkgo printed them.
	NoClaims bool
}

// page is a report that is being written.
type page struct {
	b      strings.Builder
	width  int
	colour bool
}

func newPage(s screen.Screen) *page { return &page{width: s.Columns(), colour: s.Colour} }

func (p *page) write(s string) { p.b.WriteString(s + "\n") }

// line writes text at an indent, wrapped between words. Further lines are indented more than the first.
func (p *page) line(indent string, parts ...string) {
	for _, l := range p.wrapped(indent, strings.Join(parts, "")) {
		p.write(l)
	}
}

// heading writes a title. It is bold if colours are on.
func (p *page) heading(s string) {
	for _, l := range p.wrapped("", s) {
		if p.colour {
			l = text.Bold.Sprint(l)
		}
		p.write(l)
	}
}

func (p *page) wrapped(indent, s string) []string {
	further := indent + "  "
	lines := strings.Split(text.WrapSoft(s, max(20, p.width-len(further))), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(indent+strings.TrimSpace(l), " ")
		indent = further
	}
	return lines
}

// verdict returns a verdict in its colour.
func (p *page) verdict(v trial.Verdict) string { return painted(v, p.colour) }
