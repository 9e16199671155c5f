package html

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/host/browser"
	runs "github.com/podclock/podclock/harness/measure/run"
)

func everyTimeline(t *testing.T, b *browser.Tab, run runs.Run) {
	g := NewWithT(t)
	type drawn struct {
		Name          string
		Shapes, Texts int
		Width, Height float64
		Outside       int
	}
	all := browser.Eval[[]drawn](b, `(async () => {
		document.querySelector("#unfold").click();
		const all = [];
		for (const a of document.querySelectorAll("tr.trial a.v")) {
			location.hash = a.getAttribute("href");
			await new Promise(r => setTimeout(r, 5));
			const opened = document.querySelector(".opened"), svg = opened.querySelector(".timeline svg");
			const box = svg ? svg.getBoundingClientRect() : {width: 0, height: 0};
			all.push({
				Name: opened.getAttribute("aria-label"),
				Shapes: svg ? svg.querySelectorAll("[data-t]").length : 0,
				Texts: svg ? svg.querySelectorAll("text").length : 0,
				Width: box.width, Height: box.height,
				Outside: svg ? [...svg.querySelectorAll("rect, use")].filter(e => {
					const r = e.getBoundingClientRect();
					return r.width > 0 && (r.left < box.left - 12 || r.right > box.right + 12);
				}).length : 0,
			});
		}
		return all;
	})()`)
	var want []string
	for _, a := range overview(run, nil).Areas {
		for _, row := range a.Rows {
			for _, o := range row.Outcomes {
				if o != nil {
					want = append(want, fmt.Sprintf("%s on %s", o.Trial, o.Subject))
				}
			}
		}
	}
	var got []string
	for _, d := range all {
		got = append(got, d.Name)
		id, subject, _ := strings.Cut(d.Name, " on ")
		at := slices.IndexFunc(
			run.Outcomes,
			func(o runs.Outcome) bool { return o.Trial == id && o.Subject == subject },
		)
		if run.Outcomes[at].Last() == nil {
			g.Expect(d.Shapes).To(BeZero(), d.Name)
			continue
		}
		g.Expect(d.Shapes).To(BeNumerically(">", 4), d.Name)
		g.Expect(d.Texts).To(BeNumerically(">", 3), d.Name)
		g.Expect(d.Width).To(BeNumerically(">", 250), d.Name)
		g.Expect(d.Height).To(BeNumerically(">", 60), d.Name)
		g.Expect(d.Outside).To(BeZero(), d.Name)
	}
	g.Expect(got).To(Equal(want))
	b.Quiet()
}
