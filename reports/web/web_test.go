package web

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/reports/html/browser"
)

// folder is where `make web` writes the page, so the tests build its program only if its sources have changed.
var folder = filepath.Join("..", "..", "out", "web")

var build = sync.OnceValue(func() error { return Build(context.Background(), folder) })

// screenshotsVariable names a folder for pictures of the page. Without it the test is skipped.
const screenshotsVariable = "PODCLOCK_SCREENSHOTS"

// serve serves the page's folder until the test ends.
func serve(t *testing.T) *httptest.Server {
	t.Helper()
	NewWithT(t).Expect(build()).To(Succeed())
	s := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(s.Close)
	return s
}

// wait waits until an expression of the page is true.
func wait(b *browser.Tab, expression string) {
	b.Run(fmt.Sprintf(`for (let n = 0; !(%s); n++) {
		if (n > 300) throw new Error(%q + " is not true: " + document.querySelector("main").innerText);
		await new Promise((done) => setTimeout(done, 50));
	}`, expression, expression))
}

const answered = `document.querySelector("#answers .answer")`

// TestScreenshots takes pictures of the page: light and dark, on a desktop and on a phone.
func TestScreenshots(t *testing.T) {
	to := os.Getenv(screenshotsVariable)
	if to == "" {
		t.Skipf("set %s to a folder for the pictures", screenshotsVariable)
	}
	NewWithT(t).Expect(os.MkdirAll(to, 0o755)).To(Succeed())
	site, chromium := serve(t), browser.Start(t)
	for _, width := range []int64{1280, 390} {
		for _, dark := range []bool{false, true} {
			name := fmt.Sprintf("web-%d-%s", width, map[bool]string{false: "light", true: "dark"}[dark])
			b := chromium.Visit(t, site.URL+"/", browser.View{Width: width, Dark: dark})
			wait(b, answered)
			b.Screenshot(filepath.Join(to, name+"-top.png"), false)
			b.Screenshot(filepath.Join(to, name+"-all.png"), true)
		}
	}
}
