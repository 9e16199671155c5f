package html

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/host/browser"
	"github.com/podclock/podclock/reports/view"
)

func TestMoving(t *testing.T) {
	chromium := browser.Start(t)
	run := saved(t)
	page := rendered(t, run, catalogued)
	const lives = "probes/liveness-http-three-lives"

	t.Run("keys", func(t *testing.T) {
		g := NewWithT(t)
		b := read(t, chromium, page, browser.View{})
		b.Press("/")
		g.Expect(focused(b)).To(Equal("search"))
		b.Press("grace-1")
		g.Expect(shownTrials(b)).To(Equal([]string{"termination/grace-1"}))
		b.Press(kb.Escape)
		b.Press(kb.Escape)
		first := trials(run, func(row view.Row) bool { return row.Notable })
		b.Press("j")
		g.Expect(focused(b)).To(Equal(first[0]))
		b.Press("j")
		g.Expect(focused(b)).To(Equal(first[1]))
		b.Press("k" + kb.ArrowRight + kb.Enter)
		g.Expect(opened(b)).To(HavePrefix(first[0] + " on "))
		was := opened(b)
		b.Press(kb.Escape)
		g.Expect(opened(b)).To(BeEmpty())
		g.Expect(focused(b)).To(Equal(first[0]))
		b.Press("n")
		g.Expect(opened(b)).To(HavePrefix(first[0] + " on "))
		b.Press("n")
		g.Expect(opened(b)).To(HavePrefix(first[1] + " on "))
		b.Press("p")
		g.Expect(opened(b)).To(HavePrefix(strings.SplitN(was, " on ", 2)[0]))
		b.Press("?")
		g.Expect(browser.Eval[bool](b, `document.querySelector("#keys").open`)).To(BeTrue())
		b.Press(kb.Escape)
		g.Expect(browser.Eval[bool](b, `document.querySelector("#keys").open`)).To(BeFalse())
		b.Quiet()
	})

	t.Run("a link shows its trial even if it is open already", func(t *testing.T) {
		g := NewWithT(t)
		b := read(t, chromium, page, browser.View{})
		for range 2 {
			b.Run(`scrollTo(0, 0)`)
			b.Click("#verdict .look a", lives)
			g.Expect(opened(b)).To(Equal(lives + " on v1.36.3+resultrun-one"))
			g.Expect(inView(b)).To(BeTrue())
			g.Expect(focused(b)).To(Equal(lives))
		}
		b.Quiet()
	})

	t.Run("links leave the filters as they are", func(t *testing.T) {
		g := NewWithT(t)
		b := read(t, chromium, page, browser.View{Fragment: "#verdict=deviates"})
		b.Click("#divergences a", "termination/grace-1")
		g.Expect(opened(b)).To(HavePrefix("termination/grace-1 on "))
		g.Expect(browser.Eval[string](b, `location.hash`)).
			To(And(HavePrefix("#trial=termination/grace-1"), HaveSuffix("&verdict=deviates")))
		b.Quiet()
	})

	t.Run("back to a section and its content", func(t *testing.T) {
		g := NewWithT(t)
		b := read(t, chromium, page, browser.View{Fragment: "#area=probes"})
		b.Click(".bar a", "Margins")
		g.Eventually(func() bool { return browser.Eval[bool](b, `typeof history.state === "string"`) }).Should(BeTrue())
		g.Expect(shownTrials(b)).
			To(HaveEach(HavePrefix("probes/")), "a section's address does not change the content")
		b.Click("#divergences a", "termination/grace-1")
		g.Expect(opened(b)).To(HavePrefix("termination/grace-1 on "))
		b.Run(`history.back()`)
		g.Eventually(func() string { return opened(b) }).Should(BeEmpty())
		g.Expect(browser.Eval[string](b, `location.hash`)).To(Equal("#margins"))
		g.Expect(shownTrials(b)).To(HaveEach(HavePrefix("probes/")))
		b.Quiet()
	})

	t.Run("the keyboard focus survives if its element is replaced or hidden", func(t *testing.T) {
		g := NewWithT(t)
		b := read(t, chromium, page, browser.View{Fragment: "#trial=" + lives + "&subject=v1.36.3"})
		b.Run(`document.querySelector(".opened .tabs a:not([aria-current])").focus()`)
		b.Press(kb.Enter)
		g.Expect(opened(b)).To(Equal(lives + " on v1.36.3+resultrun-one"))
		tabFocused := `document.activeElement === document.querySelector(".opened .tabs [aria-current]")`
		g.Expect(browser.Eval[bool](b, tabFocused)).To(BeTrue())
		b.Run(`document.querySelector(".opened .claim").focus()`)
		b.Press("[")
		g.Expect(opened(b)).To(Equal(lives + " on v1.36.3"))
		g.Expect(focused(b)).To(Equal(lives))
		b.Press("]")
		g.Expect(opened(b)).To(Equal(lives + " on v1.36.3+resultrun-one"))
		b.Run(`document.querySelector("#by-verdict .chip").focus()`)
		b.Press(kb.Enter)
		g.Expect(browser.Eval[string](b, `document.activeElement.getAttribute("aria-pressed")`)).To(Equal("true"))
		b.Run(`document.querySelector("#clear").focus()`)
		b.Press(kb.Enter)
		g.Expect(focused(b)).To(Equal("unfold"))
		b.Quiet()
	})

	t.Run("a run without trials has no trial to open", func(t *testing.T) {
		g := NewWithT(t)
		r := saved(t)
		r.Outcomes, r.Problems = nil, []string{"set-up failed: no cluster"}
		b := read(t, chromium, rendered(t, r, catalogued), browser.View{})
		g.Expect(browser.Eval[int](b, `document.querySelector("#trials").offsetHeight`)).To(BeZero())
		g.Expect(browser.Eval[string](b, `document.querySelector("#environment").textContent`)).
			To(ContainSubstring("v1.36.3+resultrun-one"), "it was selected for the run")
		b.Press("n?")
		b.Quiet()
	})
}

// focused returns the element that has the keyboard focus: an ID, the trial of a row, or a tag name.
func focused(b *browser.Tab) string {
	return browser.Eval[string](
		b,
		`(e => e.id || (e.closest("tr.trial") || {dataset: {}}).dataset.trial || e.tagName)(document.activeElement)`,
	)
}

func inView(b *browser.Tab) bool {
	return browser.Eval[bool](b, `(() => {
		const r = document.querySelector(".opened").getBoundingClientRect();
		return r.top > 0 && r.top < innerHeight / 2;
	})()`)
}
