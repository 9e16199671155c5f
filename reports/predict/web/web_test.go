package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/host/browser"
	"github.com/podclock/podclock/harness/predict/preset"
	"github.com/podclock/podclock/reports/predict/web/answer"
)

// folder is where `make web` writes the page, so the tests build its program only if its sources have changed.
var folder = filepath.Join("..", "..", "..", "out", "web")

var build = sync.OnceValue(func() error { return Build(context.Background(), folder) })

// serve serves the page's folder until the test ends.
// built makes the page's files.
func built(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("it compiles podclock for browsers")
	}
	NewWithT(t).Expect(build()).To(Succeed())
}

func serve(t testing.TB) *httptest.Server {
	t.Helper()
	built(t)
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

// put types a value into a field of the page and waits for the answer. It returns the time until then.
func put(b *browser.Tab, field string, value any) time.Duration {
	text, _ := json.Marshal(value) // a string or a number
	ms := browser.Eval[float64](b, fmt.Sprintf(`(async () => {
		const answers = () => performance.getEntriesByName("answer").length;
		const before = answers(), began = performance.now();
		by(%[1]q).value = %[2]s;
		by(%[1]q).dispatchEvent(new Event("input", { bubbles: true }));
		while (answers() === before) await new Promise((done) => setTimeout(done, 1));
		await new Promise(requestAnimationFrame);
		return performance.now() - began;
	})()`, field, text))
	return time.Duration(ms * float64(time.Millisecond))
}

// maxCompressed bounds the page's files as a static host sends them.
const maxCompressed = 6_000_000

func TestSize(t *testing.T) {
	g := NewWithT(t)
	serve(t)
	raw, compressed := 0, counter(0)
	files, err := os.ReadDir(folder)
	g.Expect(err).NotTo(HaveOccurred())
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(folder, f.Name()))
		g.Expect(err).NotTo(HaveOccurred())
		raw += len(data)
		w := gzip.NewWriter(&compressed)
		_, err = w.Write(data)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.Close()).To(Succeed())
	}
	t.Logf("%d files: %d bytes, compressed %d", len(files), raw, compressed)
	g.Expect(int(compressed)).To(BeNumerically("<", maxCompressed))
}

type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// TestPage opens the page in one browser, from one server.
func TestPage(t *testing.T) {
	p := visit{serve(t), browser.Start(t)}
	t.Run("answers as podclock does", p.answersAsPodclockDoes)
	t.Run("moves the kill", p.movesTheKill)
	t.Run("has findings and problems", p.hasFindingsAndProblems)
	t.Run("has limits of nodes", p.hasLimitsOfNodes)
	t.Run("shares links and opens files", p.sharesLinksAndOpensFiles)
	t.Run("sends nothing elsewhere", p.sendsNothingElsewhere)
	t.Run("needs a keyboard and a phone", p.needsAKeyboardAndAPhone)
	t.Run("works offline", p.worksOffline) // it stops the server
	t.Run("says what is missing", p.saysWhatIsMissing)
}

// visit is a browser with the address of the page.
type visit struct {
	site     *httptest.Server
	chromium *browser.Browser
}

// open opens the page and waits for its first answer.
func (p visit) open(t testing.TB, v browser.View) *browser.Tab {
	t.Helper()
	b := p.chromium.Visit(t, p.site.URL+"/", v)
	wait(b, answered)
	return b
}

func (p visit) answersAsPodclockDoes(t *testing.T) {
	g := NewWithT(t)
	b := p.open(t, browser.View{})
	shop, err := os.ReadFile(filepath.Join("..", "forecast", "testdata", "shop.yaml"))
	g.Expect(err).NotTo(HaveOccurred())
	for _, q := range []answer.Question{
		{Manifest: example, Version: "v1.37.2"},
		{Manifest: string(shop), Version: "v1.30.14", Event: "liveness once healthy", HookTakes: new(2.5)},
		{Manifest: example, Version: "v1.37.2", Preset: "gke-spot", Event: "node shutdown"},
		{Manifest: example, Version: "v1.34.10", Grace: new(int64(10)), ExitsAfter: new(3.0)},
		{Manifest: "kind: Pod\n", Version: "v1.37.2"},
		{Manifest: "", Version: "v1.37.2"},
	} {
		question, err := json.Marshal(q)
		g.Expect(err).NotTo(HaveOccurred())
		want, err := json.Marshal(answer.To(q))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(browser.Eval[string](b, fmt.Sprintf("podclock(%q)", question))).To(Equal(string(want)))
	}
	g.Expect(browser.Eval[string](b, `podclock("{")`)).To(ContainSubstring("cannot be read"))
}

func (p visit) movesTheKill(t *testing.T) {
	g := NewWithT(t)
	b := p.open(t, browser.View{})
	killed := func() float64 {
		return browser.Eval[float64](b, `Number(document.querySelector("#pictures use[href='#d-k']").dataset.t)`)
	}
	own := killed()
	for _, change := range []struct {
		field        string
		value, usual any
		moves        string
	}{
		{"grace", 20, -1, "<"},
		{"hookTakes", 100, -1, ">"},
		{"event", "liveness once healthy", "delete", ">"},
		{"manifest", strings.Replace(example, "Seconds: 45", "Seconds: 50", 1), example, ">"},
	} {
		put(b, change.field, change.value)
		g.Expect(killed()).To(BeNumerically(change.moves, own), change.field)
		put(b, change.field, change.usual)
		g.Expect(killed()).To(Equal(own), change.field)
	}
	put(b, "exitsAfter", 3)
	g.Expect(browser.Eval[int](b, `document.querySelectorAll("#pictures use[href='#d-k']").length`)).
		To(BeZero(), "the process exits in time")
	g.Expect(b.Complaints()).To(BeEmpty())
}

func (p visit) hasFindingsAndProblems(t *testing.T) {
	g := NewWithT(t)
	b := p.open(t, browser.View{})
	put(b, "manifest", strings.Replace(example, "sleep, \"10\"", "sleep, \"45\"", 1))
	g.Expect(browser.Eval[string](b, `by("findings").innerText`)).To(ContainSubstring("hook-equals-grace"))
	b.Click(".finding button", "line 18")
	g.Expect(browser.Eval[string](b, `(({ value, selectionStart, selectionEnd }) =>
		value.slice(selectionStart, selectionEnd))(by("manifest"))`)).To(ContainSubstring("exec"))

	put(b, "manifest", strings.Replace(example, "kind: Deployment", "kind: Deploymnt", 1))
	g.Expect(browser.Eval[string](b, `by("problems").innerText`)).To(ContainSubstring("no kind Deploymnt"))
	g.Expect(browser.Eval[string](b, `by("problems").innerText`)).To(ContainSubstring("This was the answer before"))
	put(b, "manifest", example)
	g.Expect(browser.Eval[string](b, `by("problems").innerText`)).To(BeEmpty())
	for _, request := range b.Requests() {
		g.Expect(request).To(HavePrefix(p.site.URL + "/"))
	}
	g.Expect(b.Complaints()).To(BeEmpty())
}

// A preset adds the answer about its limit, and a finding if the limit cuts the grace period.
func (p visit) hasLimitsOfNodes(t *testing.T) {
	g := NewWithT(t)
	b := p.open(t, browser.View{})
	g.Expect(browser.Eval[[]string](b, `[...by("preset").options].map((o) => o.value)`)).To(And(
		HaveLen(len(preset.Names())-1), ContainElements("", "aws-spot"), Not(ContainElement("karpenter"))),
		"two have no default, and one is none")
	answers := func() string { return browser.Eval[string](b, `by("answers").innerText`) }
	g.Expect(answers()).NotTo(ContainSubstring("Limits"))
	put(b, "preset", "azure-spot")
	g.Expect(answers()).To(ContainSubstring("the grace period of 45 s is too long for the 30 s of azure-spot"))
	g.Expect(browser.Eval[string](b, `by("findings").innerText`)).To(ContainSubstring("limit-cuts-grace"))
	g.Expect(browser.Eval[string](b, `by(by("preset").getAttribute("aria-describedby")).innerText`)).
		To(HavePrefix("Azure announces the eviction of a Spot VM"))
	put(b, "preset", "gke-spot")
	g.Expect(answers()).To(ContainSubstring("Shutdown"))
	put(b, "event", "node shutdown")
	g.Expect(browser.Eval[string](b, `document.querySelector("#pictures").innerText`)).To(ContainSubstring("SIGTERM"))
	put(b, "preset", "")
	g.Expect(answers()).NotTo(ContainSubstring("Shutdown"))
	g.Expect(browser.Eval[string](b, `by("preset-says").innerText`)).To(BeEmpty())
	g.Expect(b.Complaints()).To(BeEmpty())
}

// A link has everything. Files can be opened instead of typing.
func (p visit) sharesLinksAndOpensFiles(t *testing.T) {
	g := NewWithT(t)
	b := p.open(t, browser.View{})
	b.Run(`await readFiles([new File([` + "`" + example + "`" + `], "a.yaml"), new File(["kind: Pot"], "b.yaml")])`)
	wait(b, `by("problems").innerText.includes("document 2")`)
	put(b, "manifest", strings.Replace(example, "name: web", "name: ümläut<b>", 1))
	g.Expect(browser.Eval[string](b, `by("problems").innerText`)).To(ContainSubstring("ümläut<b>"), "text is no HTML")
	put(b, "manifest", strings.Replace(example, "name: web", "name: shop", 1))
	put(b, "version", "v1.30.14")
	put(b, "preset", "aws-spot")
	put(b, "event", "crash")
	put(b, "grace", 7)
	wait(b, `location.hash.length > 100`)
	want := browser.Eval[string](b, `JSON.stringify(question())`)
	g.Expect(want).To(And(ContainSubstring("name: shop"), ContainSubstring("v1.30.14"), ContainSubstring(`"grace":7`),
		ContainSubstring(`"preset":"aws-spot"`)))
	fragment := browser.Eval[string](b, `packed(question()).then((text) => "#" + text)`)

	other := p.open(t, browser.View{Fragment: fragment})
	g.Expect(browser.Eval[string](other, `JSON.stringify(question())`)).To(Equal(want))
	g.Expect(other.Complaints()).To(BeEmpty())
	other = p.open(t, browser.View{Fragment: "#damaged"})
	g.Expect(browser.Eval[string](other, `question().manifest`)).To(Equal(example))
	g.Expect(browser.Eval[string](other, `by("problems").innerText`)).To(ContainSubstring("The link is damaged"))
	other.Run(`location.hash = await packed({ manifest: "# none", version: "v1.36.3" })`)
	wait(other, `by("problems").innerText.includes("there is no object yet")`)
	g.Expect(browser.Eval[string](other, `question().version`)).To(Equal("v1.36.3"), "one that is not in the list")
	other.Run(`location.hash = await packed({ manifest: by("manifest").value, preset: "karpenter=1h" })`)
	wait(other, `question().preset === "karpenter=1h"`)
}

// The page's policy forbids what its program or a manifest could try.
func (p visit) sendsNothingElsewhere(t *testing.T) {
	g := NewWithT(t)
	var asked atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Access-Control-Allow-Origin", "*")
	}))
	defer elsewhere.Close()
	b := p.open(t, browser.View{})
	answers := browser.Eval[string](b, fmt.Sprintf(`(async (url) => {
		const image = new Image();
		const shown = new Promise((done) => {
			image.onload = () => done("shown");
			image.onerror = () => done("refused");
		});
		image.src = url;
		const sent = await fetch(url).then(() => "sent", () => "refused");
		return sent + " " + navigator.sendBeacon(url, "x") + " " + await shown;
	})(%q)`, elsewhere.URL))
	g.Expect(answers).To(And(HavePrefix("refused"), HaveSuffix("refused")))
	g.Expect(asked.Load()).To(BeZero())
	g.Expect(strings.Join(b.Complaints(), "\n")).To(ContainSubstring("Content Security Policy"))
}

func (p visit) worksOffline(t *testing.T) {
	b := p.open(t, browser.View{})
	b.Run(`const { active } = await navigator.serviceWorker.ready;
		while (active.state !== "activated") await new Promise((done) => setTimeout(done, 20))`)
	p.site.Close()
	_, err := http.Get(p.site.URL)
	NewWithT(t).Expect(err).To(HaveOccurred(), "the server is gone")
	p.open(t, browser.View{})
}

// A keyboard reaches every field, every field has a name, and a phone needs no scrolling sideways.
func (p visit) needsAKeyboardAndAPhone(t *testing.T) {
	g := NewWithT(t)
	const phone = 390
	b := p.open(t, browser.View{Width: phone, Dark: true})
	put(b, "manifest", strings.Replace(example, "sleep, \"10\"", "/a/"+strings.Repeat("long", 40), 1))
	b.Run(`document.querySelector(".steps").open = true`)
	g.Expect(browser.Eval[int](b, "document.documentElement.scrollWidth")).To(BeNumerically("<=", phone))
	g.Expect(browser.Eval[[]string](b, `[...document.querySelectorAll("textarea, select, input:not([hidden])")]
		.filter((e) => e.labels.length === 0).map((e) => e.id)`)).To(BeEmpty(), "fields without a label")
	b.Run(`document.activeElement.blur()`)
	var order []string
	for range 10 {
		b.Press(kb.Tab)
		order = append(order, browser.Eval[string](b, `document.activeElement.id || document.activeElement.innerText`))
	}
	g.Expect(strings.Join(order, " ")).To(Equal(
		"version manifest open link All answers, with exact times event preset grace hookTakes exitsAfter"))
	b.Press(kb.ArrowRight)
	wait(b, `by("exitsAfter-says").value.startsWith("0 s")`)
	g.Expect(browser.Eval[string](b, `by("exitsAfter").getAttribute("aria-valuetext")`)).To(HavePrefix("0 s"))
	wait(b, `by("spoken").textContent.startsWith("Deployment web: ")`)
}

func (p visit) saysWhatIsMissing(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, program) {
			http.NotFound(w, r)
			return
		}
		http.FileServer(http.Dir(folder)).ServeHTTP(w, r)
	}))
	defer site.Close()
	b := p.chromium.Visit(t, site.URL+"/", browser.View{})
	wait(b, `by("problems").innerText.includes("podclock cannot be loaded")`)
}

// Two builds of the same sources are the same, and the script that keeps the files knows all of them.
func TestOfflineFiles(t *testing.T) {
	built(t)
	g := NewWithT(t)
	script, err := os.ReadFile(filepath.Join(folder, "offline.js"))
	g.Expect(err).NotTo(HaveOccurred())
	files, err := os.ReadDir(folder)
	g.Expect(err).NotTo(HaveOccurred())
	for _, f := range files {
		if f.Name() != "offline.js" {
			g.Expect(string(script)).To(ContainSubstring(fmt.Sprintf("%q", f.Name())))
		}
	}
	g.Expect(Build(t.Context(), folder)).To(Succeed())
	again, err := os.ReadFile(filepath.Join(folder, "offline.js"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(bytes.Equal(script, again)).To(BeTrue())
	one, err := offlineScript("1", []string{"a"})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(one)).To(And(ContainSubstring(`"podclock-1"`), ContainSubstring(`"a"`)))
}

// BenchmarkPage opens the page and moves a scale ten times. It reports the first answer since the page was opened, and
// the mean of the others.
func BenchmarkPage(b *testing.B) {
	p := visit{serve(b), browser.Start(b)}
	var first, next time.Duration
	for b.Loop() {
		tab := p.open(b, browser.View{})
		ms := browser.Eval[float64](tab, `(({ startTime, duration }) => startTime + duration)(
			performance.getEntriesByName("answer")[0])`)
		first += time.Duration(ms * float64(time.Millisecond))
		for grace := range 10 {
			next += put(tab, "grace", grace)
		}
	}
	b.ReportMetric(float64(first.Milliseconds())/float64(b.N), "ms/first")
	b.ReportMetric(float64(next.Milliseconds())/float64(10*b.N), "ms/next")
}

// screenshotsVariable names a folder for pictures of the page. Without it the test is skipped.
const screenshotsVariable = "PODCLOCK_SCREENSHOTS"

// TestScreenshots takes pictures of the page: light and dark, on a desktop and on a phone.
func TestScreenshots(t *testing.T) {
	to := os.Getenv(screenshotsVariable)
	if to == "" {
		t.Skipf("set %s to a folder for the pictures", screenshotsVariable)
	}
	NewWithT(t).Expect(os.MkdirAll(to, 0o755)).To(Succeed())
	p := visit{serve(t), browser.Start(t)}
	for _, width := range []int64{1280, 390} {
		for _, dark := range []bool{false, true} {
			name := fmt.Sprintf("web-%d-%s", width, map[bool]string{false: "light", true: "dark"}[dark])
			b := p.open(t, browser.View{Width: width, Dark: dark})
			b.Screenshot(filepath.Join(to, name+"-top.png"), false)
			b.Screenshot(filepath.Join(to, name+"-all.png"), true)
		}
	}
}
