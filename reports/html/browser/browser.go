// Package browser opens pages in a headless Chromium, for tests: it shows a page as its readers see it, and
// hears what it complains of and what it asks for. Only tests import it.
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

// Widths of the windows that pages are read in, in pixels.
const (
	Desktop = 1200
	Phone   = 360
)

// names are those that a Chromium has.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell"}

// patience bounds everything that one tab does.
const patience = time.Minute

// Browser is a running Chromium.
type Browser struct{ ctx context.Context }

// Start starts a Chromium that ends with the test. Without one the test is skipped, and says so.
func Start(t *testing.T) *Browser {
	t.Helper()
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
