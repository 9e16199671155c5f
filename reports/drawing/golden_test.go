package drawing

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

var update = flag.Bool("update", false, "write the golden files under testdata instead of comparing with them")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	g := NewWithT(t)
	path := filepath.Join("testdata", name)
	if *update {
		g.Expect(os.WriteFile(path, got, 0o644)).To(Succeed())
		return
	}
	want, err := os.ReadFile(path)
	g.Expect(err).NotTo(HaveOccurred(), "write it with: go test ./reports/drawing -update")
	g.Expect(string(got)).To(Equal(string(want)), "if that is meant, run go test ./reports/drawing -update")
}

const s = time.Second

func at(t time.Duration) *time.Duration { return &t }

func killed() Drawing {
	return Drawing{
		Title: "termination/hook-hangs on v1.36.3: deviates", Zero: "delete", From: -4 * s, To: 12 * s,
		Rows: []Row{
			{
				Name: "pod",
				Bars: []Bar{{From: 10 * time.Millisecond, To: 10 * s, Kind: Grace, Description: "grace 10 s"}},
				Marks: []Mark{
					{At: 0, Kind: Fault, Description: "delete"},
					{At: -3 * s, Kind: Change, Description: "Running, +Ready"},
					{At: 11 * s, Kind: Change, Description: "object <gone> & \"away\""},
				},
				Windows: []Window{
					{
						Since:       10 * s,
						Earliest:    10 * s,
						Latest:      11500 * time.Millisecond,
						Of:          Implemented,
						Description: "death-to-object-deleted",
						Measured:    at(11 * s),
						Verdict:     "conforms",
					},
				},
			},
			{
				Name: "victim",
				Bars: []Bar{
					{From: -3500 * time.Millisecond, To: 10 * s, Kind: Life, Description: "life 1"},
					{From: 100 * time.Millisecond, To: 8 * s, Kind: Hook, Description: "preStop, never ended"},
				},
				Marks: []Mark{
					{
						At:          -3500 * time.Millisecond,
						Kind:        Started,
						Description: "life 1",
					},
					{At: 8 * s, Kind: SIGTERM},
					{At: 10 * s, Kind: Death, Description: "exit code 137"},
					{
						At:          -2 * s,
						Kind:        Answered,
						Description: "liveness 1",
					},
					{At: -1 * s, Kind: Failed, Description: "liveness 2"},
					{At: -500 * time.Millisecond, Kind: Hung, Description: "liveness 3"},
					{
						At:          -3520 * time.Millisecond,
						Kind:        Event,
						Description: "Created",
					},
					{At: -3510 * time.Millisecond, Kind: Event, Description: "Started"},
				},
				Windows: []Window{
					{
						Since:       0,
						Earliest:    0,
						Latest:      1100 * time.Millisecond,
						Of:          Implemented,
						Description: "fault-to-hook-begin",
						Measured:    at(100 * time.Millisecond),
						Verdict:     "conforms",
					},
					{
						Since:       8 * s,
						Earliest:    9950 * time.Millisecond,
						Latest:      10250 * time.Millisecond,
						Of:          Implemented,
						Description: "sigterm-to-death",
						Measured:    at(10 * s),
						Verdict:     "divergent",
					},
					{
						Since:       8 * s,
						Earliest:    8 * s,
						Latest:      9 * s,
						Of:          Documented,
						Description: "sigterm-to-death",
						Measured:    at(10 * s),
						Verdict:     "divergent",
					},
					{
						Since:       100 * time.Millisecond,
						Earliest:    9 * s,
						Latest:      9500 * time.Millisecond,
						Of:          Implemented,
						Description: "hook-begin-to-sigterm",
						Measured:    at(8 * s),
						Verdict:     "deviates",
					},
				},
			},
		},
	}
}

// looping is a long crash loop with more probes than a picture can hold. The recording ends before the pod
// does.
func looping() Drawing {
	d := Drawing{
		Title: "restarts/crash-loop",
		From:  0,
		To:    10 * time.Minute,
		Rows:  []Row{{Name: "victim"}, {Name: "node"}},
	}
	victim := &d.Rows[0]
	begins := time.Duration(0)
	for i, wait := range []time.Duration{0, 10 * s, 20 * s, 40 * s, 80 * s, 160 * s} {
		died := begins + s
		begins = died + wait
		if wait > 0 {
			victim.Bars = append(victim.Bars, Bar{From: died, To: begins, Kind: BackOff})
			victim.Windows = append(
				victim.Windows,
				Window{
					Since:       died,
					Earliest:    died + wait,
					Latest:      died + wait + 10*s,
					Of:          Implemented,
					Description: fmt.Sprintf("death-%d-to-start-%d", i, i+1),
				},
			)
		}
		victim.Bars = append(
			victim.Bars,
			Bar{From: begins, To: begins + s, Kind: Life, Description: fmt.Sprintf("life %d", i+1)},
		)
		victim.Marks = append(
			victim.Marks,
			Mark{At: begins, Kind: Started, Description: fmt.Sprintf("life %d", i+1)},
			Mark{At: begins + s, Kind: Death},
		)
	}
	last := &victim.Bars[len(victim.Bars)-1]
	last.To, last.Open = d.To, true
	for i := range 600 {
		victim.Marks = append(
			victim.Marks,
			Mark{At: time.Duration(i) * s, Kind: []MarkKind{Answered, Answered, Answered, Failed}[i%4]},
		)
	}
	d.Rows[1].Bars = []Bar{
		{From: 100 * s, To: 130 * s, Kind: Outage, Description: "kubelet did not answer"},
		{From: 120 * s, To: 125 * s, Kind: Outage, Description: "recorder did not answer"},
	}
	return d
}

func TestDrawings(t *testing.T) {
	for name, d := range map[string]Drawing{"killed": killed(), "looping": looping(), "nothing": {Title: "nothing"}} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			var b bytes.Buffer
			g.Expect(SVG(&b, d)).To(Succeed())
			g.Expect(wellFormed(b.Bytes())).To(Succeed())
			if name == "killed" {
				golden(t, name+".svg.golden", bytes.ReplaceAll(b.Bytes(), []byte("><"), []byte(">\n<")))
			}
			for _, columns := range []int{60, 120} {
				b.Reset()
				g.Expect(Text(&b, d, columns)).To(Succeed())
				golden(t, fmt.Sprintf("%s-%d.txt.golden", name, columns), b.Bytes())
			}
		})
	}
}

// TestStandalone expects the style, the shapes, the title, the drawing and its key in one file.
func TestStandalone(t *testing.T) {
	g := NewWithT(t)
	var b, drawn bytes.Buffer
	g.Expect(Standalone(&b, killed(), 960)).To(Succeed())
	g.Expect(SVG(&drawn, killed())).To(Succeed())
	g.Expect(wellFormed(b.Bytes())).To(Succeed())
	file := b.String()
	g.Expect(file).To(HavePrefix(`<svg xmlns="http://www.w3.org/2000/svg" class="drawing" role="img" width="960"`))
	_, rows, _ := strings.Cut(drawn.String(), "</desc>")
	for _, part := range []string{style, shapes, escaped(killed().Title), strings.TrimSuffix(rows, "</svg>")} {
		g.Expect(file).To(ContainSubstring(part))
	}
	_, key, _ := strings.Cut(file, strings.TrimSuffix(rows, "</svg>"))
	var names []string
	for _, name := range regexp.MustCompile(`<text x="32" y="4">([^<]*)</text>`).FindAllStringSubmatch(key, -1) {
		names = append(names, name[1])
	}
	g.Expect(strings.Join(names, ", ")).
		To(Equal("life, grace, preStop, fault, started, SIGTERM, death, probe succeeded, " +
			"probe failed, probe hung, event, API change, window, as implemented, window, as documented, measured, " +
			"deviates, divergent"))
}

func TestUsualDrawingIsSmall(t *testing.T) {
	var usual, long bytes.Buffer
	g := NewWithT(t)
	g.Expect(SVG(&usual, killed())).To(Succeed())
	g.Expect(usual.Len()).To(BeNumerically("<", 7<<10))
	g.Expect(SVG(&long, looping())).To(Succeed())
	g.Expect(long.Len()).To(BeNumerically("<", 60<<10), "600 probes must be thinned")
}

func wellFormed(svg []byte) error {
	for decoder := xml.NewDecoder(bytes.NewReader(svg)); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}
