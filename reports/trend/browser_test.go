package trend

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	. "github.com/onsi/gomega"
)

// screenshots is the variable that names a folder for pictures of the pages; without it none are taken.
const screenshots = "PODCLOCK_SCREENSHOTS"

// viewed is a page in a browser, and what the browser complained of.
type viewed struct {
	g   *WithT
	ctx context.Context

	mutex      sync.Mutex
	complaints []string
}

// view shows a page of a width in pixels, with an address within it.
func view(t *testing.T, page, fragment string, width int64, dark bool) *viewed {
	t.Helper()
	g := NewWithT(t)
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "headless-shell"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		t.Skip("no browser is installed: apt-get install chromium")
	}
	file := filepath.Join(t.TempDir(), "page.html")
	g.Expect(os.WriteFile(file, []byte(page), 0o644)).To(Succeed())
	allocator, stop := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.WSURLReadTimeout(time.Minute), chromedp.UserDataDir(t.TempDir()))...)
	t.Cleanup(stop)
	ctx, stop := chromedp.NewContext(allocator)
	t.Cleanup(stop)
	ctx, stop = context.WithTimeout(ctx, time.Minute)
	t.Cleanup(stop)
	v := &viewed{g: g, ctx: ctx}
	chromedp.ListenTarget(ctx, func(event any) { v.hear(event, "file://"+file) })
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	v.do(network.Enable(), log.Enable(), runtime.Enable(), emulation.SetDeviceMetricsOverride(width, 900, 1, width < 600),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
		chromedp.Navigate("file://"+file+fragment))
	return v
}

// hear collects errors, and requests for anything but the page itself.
func (v *viewed) hear(event any, page string) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		v.complaints = append(v.complaints, "console: "+string(e.Type))
	case *runtime.EventExceptionThrown:
		v.complaints = append(v.complaints, e.ExceptionDetails.Error())
	case *log.EventEntryAdded:
		v.complaints = append(v.complaints, e.Entry.Text)
	case *network.EventRequestWillBeSent:
		if url, _, _ := strings.Cut(e.Request.URL, "#"); url != page && !strings.HasPrefix(url, "data:") {
			v.complaints = append(v.complaints, "request for "+url)
		}
	}
}

func (v *viewed) do(actions ...chromedp.Action) {
	v.g.Expect(chromedp.Run(v.ctx, actions...)).To(Succeed())
}

// quiet fails the test where the browser complained.
func (v *viewed) quiet() {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.g.Expect(v.complaints).To(BeEmpty())
}

// eval is what an expression of JavaScript comes to; promises are awaited.
func eval[T any](v *viewed, expression string) T {
	var result T
	v.do(chromedp.Evaluate(expression, &result, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	return result
}

// shown are the names of the trials that can be seen.
func (v *viewed) shown() []string {
	return eval[[]string](v, `[...document.querySelectorAll(".trial")].filter(r => r.offsetHeight > 0).map(r => r.querySelector("button").textContent)`)
}

// picture saves what is seen, the whole page, where pictures are wanted.
func (v *viewed) picture(name string) {
	folder := os.Getenv(screenshots)
	if folder == "" {
		return
	}
	var png []byte
	v.do(chromedp.FullScreenshot(&png, 100))
	v.g.Expect(os.MkdirAll(folder, 0o755)).To(Succeed())
	v.g.Expect(os.WriteFile(filepath.Join(folder, name+".png"), png, 0o644)).To(Succeed())
}

// search types into the search field, whatever was in it before.
func search(words string) string {
	return `(() => { const s = document.getElementById("search"); s.value = "` + words + `"; s.dispatchEvent(new Event("input")); return true })()`
}

const (
	openAll  = `(async () => { for (const r of rows) await toggle(r, true); return document.querySelectorAll(".chart canvas").length })()`
	tooWide  = `document.documentElement.scrollWidth - document.documentElement.clientWidth`
	openedBy = `new Promise(done => setTimeout(() => done([...document.querySelectorAll('.trial button[aria-expanded=true]')].map(b => b.textContent)), 500))`
)

func TestHistoryInABrowser(t *testing.T) {
	g := NewWithT(t)
	h := theHistory(t)
	page := historyPage(t, h)
	v := view(t, page, "", 1200, false)
	g.Expect(v.shown()).To(HaveLen(len(h.Trials)))
	claims := 0
	for _, trial := range h.Trials {
		claims += len(trial.Claims)
	}
	g.Expect(eval[int](v, openAll)).To(Equal(claims), "every claim is drawn")
	v.picture("history-light")
	eval[bool](v, search("exec-liveness"))
	g.Expect(v.shown()).To(Equal([]string{"probes/exec-liveness-fails"}))
	g.Expect(eval[int](v, `[...document.querySelectorAll(".chart")].filter(c => c.offsetHeight > 0).length`)).To(BeNumerically("<", claims), "what is drawn beneath a row goes with it")
	eval[bool](v, search(""))
	eval[bool](v, `(() => { show.value = "unsteady"; show.dispatchEvent(new Event("change")); return true })()`)
	g.Expect(v.shown()).To(HaveLen(2))
	g.Expect(eval[string](v, `document.getElementById("shown").textContent`)).To(Equal("2 of 4 trials"))
	v.do(chromedp.Click("#theme"))
	g.Expect(eval[string](v, `document.documentElement.dataset.theme`)).To(Equal("dark"))
	v.quiet()

	direct := view(t, page, "#trial=termination/ignored-sigterm&subject=v1.36.3", 360, true)
	g.Expect(eval[[]string](direct, openedBy)).To(Equal([]string{"termination/ignored-sigterm"}))
	g.Expect(eval[int](direct, tooWide)).To(BeNumerically("<=", 0), "a phone need not scroll sideways")
	direct.picture("history-dark-phone")
	direct.quiet()
}

func TestComparisonInABrowser(t *testing.T) {
	g := NewWithT(t)
	page := comparisonPage(t, theComparison(t))
	v := view(t, page, "", 1200, false)
	v.picture("comparison-light")
	items := `[...document.querySelectorAll(".item")].filter(i => i.offsetHeight > 0).length`
	all := eval[int](v, items)
	eval[bool](v, search("hook-over-http"))
	g.Expect(eval[int](v, items)).To(And(BeNumerically(">", 0), BeNumerically("<", all)))
	v.quiet()
	phone := view(t, page, "", 360, true)
	g.Expect(eval[int](phone, tooWide)).To(BeNumerically("<=", 0), "a phone need not scroll sideways")
	phone.picture("comparison-dark-phone")
	phone.quiet()
}

// A history of two months of the whole catalogue can be used at once.
func TestLargeHistoryInABrowser(t *testing.T) {
	g := NewWithT(t)
	h := large()
	v := view(t, historyPage(t, h), "", 1200, false)
	loaded := eval[float64](v, `performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd`)
	unpacked := eval[float64](v, `(async () => { await unpacked; return performance.now() })()`)
	t.Logf("loaded after %.0f ms, its values after %.0f ms", loaded, unpacked)
	g.Expect(v.shown()).To(HaveLen(len(h.Trials)))
	v.quiet()
}
