// Package browser opens pages in a headless Chromium for tests. It records complaints in the console and requests.
package browser

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	. "github.com/onsi/gomega"
)

// Widths of windows in pixels.
const (
	Desktop = 1200
	Phone   = 360
)

var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell"}

// tabTimeout is the limit for everything that one tab does.
const tabTimeout = time.Minute

// Browser is a running Chromium.
type Browser struct{ ctx context.Context }

// Start starts a Chromium that ends with the test. It skips the test if there is none.
func Start(t testing.TB) *Browser {
	t.Helper()
	if testing.Short() {
		t.Skip("it opens a browser")
	}
	path := ""
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skipf("there is no browser, none of %s: .ci/browser installs one with apt", strings.Join(names, ", "))
	}
	options := append(
		chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.NoSandbox,
		chromedp.DisableGPU,
		chromedp.UserDataDir(t.TempDir()),
	)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, stop := chromedp.NewContext(allocator)
	t.Cleanup(stop)
	NewWithT(t).Expect(chromedp.Do(ctx)).To(Succeed(), "starting %s", path)
	return &Browser{ctx}
}
