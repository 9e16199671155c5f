package html

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/host/browser"
	runs "github.com/podclock/podclock/harness/measure/run"
)

const (
	// screenshotsVariable names a folder for pictures of a report. Without it the test is skipped. runVariable
	// is a saved run to show instead of the excerpt.
	screenshotsVariable = "PODCLOCK_SCREENSHOTS"
	runVariable         = "PODCLOCK_RUN"
)

// TestScreenshots takes pictures of a report: light and dark, on a desktop and on a phone.
func TestScreenshots(t *testing.T) {
	folder := os.Getenv(screenshotsVariable)
	if folder == "" {
		t.Skipf("set %s to a folder for the pictures, and %s to a saved run other than the fixture",
			screenshotsVariable, runVariable)
	}
	g := NewWithT(t)
	g.Expect(os.MkdirAll(folder, 0o755)).To(Succeed())
	run, fragment := saved(t), "#trial=probes/liveness-http-three-lives"
	if path := os.Getenv(runVariable); path != "" {
		var err error
		run, err = runs.Load(path)
		g.Expect(err).NotTo(HaveOccurred())
		first := overview(run, nil).Areas[0].Rows[0].Trial
		for _, o := range run.Outcomes {
			if o.Trial == "termination/exec-hook-3500ms-of-10s" {
				first = o.Trial
			}
		}
		fragment = link(first, "")
	}
	page := rendered(t, run, nil)
	chromium := browser.Start(t)
	for _, width := range []int64{browser.Desktop, browser.Phone} {
		for _, dark := range []bool{false, true} {
			name := fmt.Sprintf("%d-%s", width, map[bool]string{false: "light", true: "dark"}[dark])
			b := read(t, chromium, page, browser.View{Width: width, Dark: dark})
			b.Screenshot(filepath.Join(folder, name+"-top.png"), false)
			b.Screenshot(filepath.Join(folder, name+"-all.png"), true)
			b = read(t, chromium, page, browser.View{Fragment: fragment, Width: width, Dark: dark})
			b.Screenshot(filepath.Join(folder, name+"-trial.png"), false)
			b.Screenshot(filepath.Join(folder, name+"-trial-all.png"), true)
			b.Quiet()
		}
	}
	read(
		t,
		chromium,
		page,
		browser.View{Fragment: fragment + "&area=termination,probes&verdict=deviates,inconclusive"},
	).Print(filepath.Join(folder, "print.pdf"))
}
