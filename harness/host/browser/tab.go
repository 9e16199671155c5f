package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	. "github.com/onsi/gomega"
)

// View is how a page is shown.
type View struct {
	// Fragment is the part of the address from # on, empty for none.
	Fragment string
	// Width is the width of the window in pixels. 0 means Desktop.
	Width int64
	// Dark is the preference of the system.
	Dark bool
}

// Tab is a page in a browser. Its errors fail the test that opened it.
type Tab struct {
	ctx context.Context
	g   *WithT
	url string

	mutex      sync.Mutex
	complaints []string
	requests   []string
}

// Open shows a page. It closes with the test.
func (b *Browser) Open(t testing.TB, page []byte, v View) *Tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	NewWithT(t).Expect(os.WriteFile(file, page, 0o644)).To(Succeed())
	return b.Visit(t, "file://"+file, v)
}

// Visit shows the page of an address. It closes with the test.
func (b *Browser) Visit(t testing.TB, url string, v View) *Tab {
	t.Helper()
	g := NewWithT(t)
	ctx, stop := chromedp.NewContext(b.ctx)
	t.Cleanup(stop)
	g.Expect(chromedp.Do(ctx)).To(Succeed())
	ctx, stop = context.WithTimeout(ctx, tabTimeout)
	t.Cleanup(stop)
	tab := &Tab{ctx: ctx, g: g, url: url}
	g.Expect(chromedp.Listen(ctx, tab.hear)).To(Succeed())
	width, height := v.Width, int64(900)
	if width == 0 {
		width = Desktop
	}
	if width < 600 {
		height = 740
	}
	scheme := map[bool]string{false: "light", true: "dark"}[v.Dark]
	tab.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, network.Enable, network.EnableParams{})
		_, media := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return errors.Join(err, media)
	}), chromedp.EmulateViewport(width, height), chromedp.Navigate(tab.url+v.Fragment))
	return tab
}

func (b *Tab) hear(event any) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		text := string(e.Type)
		for _, a := range e.Args {
			text += " " + string(a.Value) + a.Description
		}
		b.complaints = append(b.complaints, text)
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if thrown := e.ExceptionDetails.Exception; thrown != nil {
			text += " " + thrown.Description
		}
		b.complaints = append(b.complaints, text)
	case *log.EventEntryAdded:
		b.complaints = append(b.complaints, e.Entry.Text)
	case *network.EventRequestWillBeSent:
		if url, _, _ := strings.Cut(e.Request.URL, "#"); url != b.url && !strings.HasPrefix(url, "data:") {
			b.requests = append(b.requests, url)
		}
	}
}

// Quiet fails the test if the page wrote to the console, threw, or requested anything but itself.
func (b *Tab) Quiet() {
	b.g.THelper()
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.g.Expect(b.complaints).To(BeEmpty(), "what the browser's console has")
	b.g.Expect(b.requests).To(BeEmpty(), "what the page asked for")
}

// Complaints returns what the page wrote to the console, what it threw, and what its policy forbade.
func (b *Tab) Complaints() []string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return slices.Clone(b.complaints)
}

// Requests returns the addresses that the page asked for, without its own.
func (b *Tab) Requests() []string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return slices.Clone(b.requests)
}

func (b *Tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.g.THelper()
	b.g.Expect(chromedp.Do(b.ctx, steps...)).To(Succeed())
}

// Eval returns the value of a JavaScript expression. It awaits promises.
func Eval[T any](b *Tab, expression string) T {
	b.g.THelper()
	result, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	b.g.Expect(err).NotTo(HaveOccurred(), expression)
	return result
}

// Run executes JavaScript statements. They can await.
func (b *Tab) Run(script string) {
	b.g.THelper()
	Eval[bool](b, "(async () => {"+script+"; return true})()")
}

// Press sends keys: letters, and those of package chromedp/kb.
func (b *Tab) Press(keys string) {
	b.g.THelper()
	b.do(chromedp.KeyEvent(keys))
}

// Click clicks on the first element of a selector whose text contains some words.
func (b *Tab) Click(selector, words string) {
	b.g.THelper()
	found := Eval[bool](b, fmt.Sprintf(`(() => {
		const e = [...document.querySelectorAll(%q)].find(e => e.textContent.includes(%q));
		if (e) e.click();
		return Boolean(e);
	})()`, selector, words))
	b.g.Expect(found).To(BeTrue(), "no %s with %q", selector, words)
}

// Screenshot writes a picture of the window, or of the whole page, to a PNG file.
func (b *Tab) Screenshot(file string, whole bool) {
	b.g.THelper()
	how := chromedp.CaptureScreenshot()
	if whole {
		how = chromedp.FullScreenshot(100)
	}
	b.save(file, how)
}

// Print writes the page as it is on paper to a PDF file.
func (b *Tab) Print(file string) {
	b.g.THelper()
	b.save(file, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4), chromedp.PDFPreferCSSPageSize()))
}

func (b *Tab) save(file string, how chromedp.Action[[]byte]) {
	b.g.THelper()
	data, err := chromedp.Run(b.ctx, how)
	b.g.Expect(err).NotTo(HaveOccurred())
	b.g.Expect(os.WriteFile(file, data, 0o644)).To(Succeed())
}
