package trend

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/host/browser"
)

// screenshots is the variable that names a folder for pictures of the pages. Without it, no pictures are taken.
const screenshots = "PODCLOCK_SCREENSHOTS"

func picture(t *testing.T, tab *browser.Tab, name string) {
	folder := os.Getenv(screenshots)
	if folder == "" {
		return
	}
	NewWithT(t).Expect(os.MkdirAll(folder, 0o755)).To(Succeed())
	tab.Screenshot(filepath.Join(folder, name+".png"), true)
}

func shown(tab *browser.Tab) []string {
	return browser.Eval[[]string](tab, `[...document.querySelectorAll(".trial")]
		.filter(r => r.offsetHeight > 0).map(r => r.querySelector("button").textContent)`)
}

// seen returns how many elements of a selector are visible.
func seen(tab *browser.Tab, selector string) int {
	return browser.Eval[int](
		tab,
		fmt.Sprintf(`[...document.querySelectorAll(%q)].filter(e => e.offsetHeight > 0).length`, selector),
	)
}

func search(tab *browser.Tab, words string) {
	tab.Run(
		fmt.Sprintf(
			`const s = document.getElementById("search"); s.value = %q; s.dispatchEvent(new Event("input"))`,
			words,
		),
	)
}

// sideways returns by how many pixels a page is wider than its window.
func sideways(tab *browser.Tab) int {
	return browser.Eval[int](tab, `document.documentElement.scrollWidth - document.documentElement.clientWidth`)
}

func TestHistoryInABrowser(t *testing.T) {
	g := NewWithT(t)
	h := theHistory(t)
	page, chromium := []byte(historyPage(t, h)), browser.Start(t)
	tab := chromium.Open(t, page, browser.View{})
	g.Expect(shown(tab)).To(HaveLen(len(h.Trials)))
	claims := 0
	for _, trial := range h.Trials {
		claims += len(trial.Claims)
	}
	tab.Run(`for (const r of rows) await toggle(r, true)`)
	g.Expect(seen(tab, ".chart canvas")).To(Equal(claims), "every claim is drawn")
	picture(t, tab, "history-light")
	search(tab, "exec-liveness")
	g.Expect(shown(tab)).To(Equal([]string{"probes/exec-liveness-fails"}))
	g.Expect(seen(tab, ".chart")).
		To(And(BeNumerically(">", 0), BeNumerically("<", claims)), "the charts of a hidden trial are hidden")
	search(tab, strings.ToUpper(h.Trials[0].Claims[0].Formula))
	g.Expect(shown(tab)).To(ContainElement(h.Trials[0].Trial), "by a formula of one of its claims")
	g.Expect(len(shown(tab))).To(BeNumerically("<", len(h.Trials)))
	search(tab, "")
	tab.Run(`show.value = "unsteady"; show.dispatchEvent(new Event("change"))`)
	g.Expect(shown(tab)).To(Equal([]string{"probes/exec-liveness-fails"}))
	g.Expect(browser.Eval[string](tab, `document.getElementById("shown").textContent`)).To(Equal("1 of 4 trials"))
	tab.Click("#theme", "")
	g.Expect(browser.Eval[string](tab, `document.documentElement.dataset.theme`)).To(Equal("dark"))
	tab.Quiet()
}

func TestHistoryOpensWhatItsAddressNames(t *testing.T) {
	g := NewWithT(t)
	page := []byte(historyPage(t, theHistory(t)))
	fragment := "#trial=termination/ignored-sigterm&subject=v1.36.3"
	tab := browser.Start(t).Open(t, page, browser.View{Fragment: fragment, Width: browser.Phone, Dark: true})
	g.Eventually(func() int { return seen(tab, ".chart canvas") }).Should(Equal(2))
	open := `[...document.querySelectorAll(".trial button[aria-expanded=true]")].map(b => b.textContent)`
	g.Expect(browser.Eval[[]string](tab, open)).
		To(Equal([]string{"termination/ignored-sigterm"}))
	g.Expect(sideways(tab)).To(BeZero(), "a phone does not scroll sideways")
	picture(t, tab, "history-dark-phone")
	tab.Quiet()
}

func TestComparisonInABrowser(t *testing.T) {
	g := NewWithT(t)
	page, chromium := []byte(comparisonPage(t, theComparison(t))), browser.Start(t)
	tab := chromium.Open(t, page, browser.View{})
	picture(t, tab, "comparison-light")
	all := seen(tab, ".item")
	search(tab, "hook-over-http")
	g.Expect(seen(tab, ".item")).To(And(BeNumerically(">", 0), BeNumerically("<", all)))
	tab.Quiet()
	phone := chromium.Open(t, page, browser.View{Width: browser.Phone, Dark: true})
	g.Expect(sideways(phone)).To(BeZero(), "a phone does not scroll sideways")
	picture(t, phone, "comparison-dark-phone")
	phone.Quiet()
}

func TestLargeHistoryInABrowser(t *testing.T) {
	g := NewWithT(t)
	h := large()
	tab := browser.Start(t).Open(t, []byte(historyPage(t, h)), browser.View{})
	loaded := browser.Eval[float64](tab, `performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd`)
	ready := browser.Eval[float64](tab, `(async () => { await unpacked; return performance.now() })()`)
	t.Logf("loaded after %.0f ms, its values after %.0f ms", loaded, ready)
	g.Expect(shown(tab)).To(HaveLen(len(h.Trials)))
	tab.Quiet()
}
