package forecast

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	. "github.com/onsi/gomega"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/findings"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/drawing"
	"github.com/podclock/podclock/reports/drawing/page"
)

var update = flag.Bool("update", false, "write the golden files under testdata instead of comparing with them")

// golden compares the output of a renderer with testdata/<name>.golden.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	g := NewWithT(t)
	path := filepath.Join("testdata", name+".golden")
	if *update {
		g.Expect(os.WriteFile(path, got, 0o644)).To(Succeed())
		return
	}
	want, err := os.ReadFile(path)
	g.Expect(err).NotTo(HaveOccurred(), "write it with: go test ./reports/predict/forecast -update")
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; if that is meant, run go test -update\n--- want\n%s\n--- got\n%s",
			path, want, got)
	}
}

// forecast predicts a manifest under testdata.
func forecast(t *testing.T, name string) Forecast {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	defer file.Close()
	m, err := manifest.Read(file, name)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return Of(name, m, formula.Kubelet{Version: formula.NewestKnown}, predict.Options{})
}

// written returns the output of a renderer.
func written(t *testing.T, f Forecast, render func(io.Writer, Forecast) error) []byte {
	t.Helper()
	var b bytes.Buffer
	NewWithT(t).Expect(render(&b, f)).To(Succeed())
	return b.Bytes()
}

// Every line fits the terminal, but for addresses of pages.
func TestTextFits(t *testing.T) {
	for _, file := range []string{"shop.yaml", "pod.yaml"} {
		said := written(t, forecast(t, file), func(w io.Writer, f Forecast) error {
			return Text(w, f, TextOptions{Columns: 80, All: true})
		})
		for line := range strings.Lines(string(said)) {
			if !strings.Contains(line, "https://") {
				NewWithT(t).Expect(utf8.RuneCountInString(line)).To(BeNumerically("<=", 81), line)
			}
		}
	}
}

func TestGoldens(t *testing.T) {
	shop, pod := forecast(t, "shop.yaml"), forecast(t, "pod.yaml")
	most := withoutCauses(pod, formula.BySoftEviction, formula.ByPreemption)
	web := shop
	web.Predictions = []predict.Prediction{shop.Predictions[0], shop.Predictions[2]}
	for _, c := range []struct {
		name   string
		of     Forecast
		render func(io.Writer, Forecast) error
	}{
		{"shop.txt", shop, func(w io.Writer, f Forecast) error { return Text(w, f, TextOptions{}) }},
		{"pod-all.txt", most, func(w io.Writer, f Forecast) error {
			return Text(w, f, TextOptions{Columns: 100, All: true})
		}},
		{"pod-narrow.txt", pod, func(w io.Writer, f Forecast) error {
			return Text(w, f, TextOptions{Columns: 60, Colour: true})
		}},
		{"shop-findings.txt", shop, func(w io.Writer, f Forecast) error { return Findings(w, f, TextOptions{}) }},
		{"pod.sarif", excerpt(pod, "delete/longest"), firstSARIFRule},
		{"pod.json", firstKill(excerpt(pod, "delete-0/shortest", "lost-node")), indentedJSON},
		{"shop.svg", web, withoutStyle(SVG)},
		{"pod.html", excerpt(pod, "delete/longest", "lost-node"), body(HTML)},
		{"shop.html", excerpt(web, "readiness/longest", "lost-node"), body(HTML)},
	} {
		t.Run(c.name, func(t *testing.T) {
			first := written(t, c.of, c.render)
			golden(t, c.name, first)
			NewWithT(t).Expect(written(t, c.of, c.render)).To(Equal(first), "the same bytes each time")
		})
	}
}

// withoutCauses returns a copy of a forecast of one container without the timelines of some causes.
func withoutCauses(f Forecast, causes ...formula.Cause) Forecast {
	var ids []string
	for _, t := range f.Predictions[0].Containers[0].Timelines {
		if !slices.Contains(causes, t.Cause) {
			ids = append(ids, t.ID)
		}
	}
	return excerpt(f, ids...)
}

// excerpt returns a copy of a forecast with the timelines of these IDs and their formulas only.
func excerpt(f Forecast, ids ...string) Forecast {
	f.Predictions = slices.Clone(f.Predictions)
	for i := range f.Predictions {
		containers := slices.Clone(f.Predictions[i].Containers)
		for j := range containers {
			timelines := slices.Clone(containers[j].Timelines)
			containers[j].Timelines = slices.DeleteFunc(timelines, func(t predict.Timeline) bool {
				return !slices.Contains(ids, t.ID)
			})
		}
		f.Predictions[i].Containers = containers
	}
	return f
}

// firstKill removes all kills but the first of a forecast of one container.
func firstKill(f Forecast) Forecast {
	p := &f.Predictions[0]
	p.Kills, p.Containers[0].Answers.Kills = p.Kills[:1], p.Containers[0].Answers.Kills[:1]
	return f
}

// indentedJSON writes a document in lines, so that a golden's diff shows what changed.
func indentedJSON(w io.Writer, f Forecast) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(Document(f, true))
}

func versionedSARIF(w io.Writer, f Forecast) error { return SARIF(w, f, "v1.2.3") }

// firstSARIFRule writes SARIF with the first rule only.
func firstSARIFRule(w io.Writer, f Forecast) error {
	var b bytes.Buffer
	if err := versionedSARIF(&b, f); err != nil {
		return err
	}
	report, err := sarif.FromBytes(b.Bytes())
	if err != nil {
		return err
	}
	driver := report.Runs[0].Tool.Driver
	driver.Rules = driver.Rules[:1]
	return report.PrettyWrite(w)
}

// withoutStyle writes a picture without its style sheet, which is a file of its own.
func withoutStyle(render func(io.Writer, Forecast) error) func(io.Writer, Forecast) error {
	return func(w io.Writer, f Forecast) error {
		var b bytes.Buffer
		if err := render(&b, f); err != nil {
			return err
		}
		_, err := w.Write(regexp.MustCompile(`(?s)<style>.*?</style>`).ReplaceAll(b.Bytes(), nil))
		return err
	}
}

// body writes a page's body without the shapes and the script, which are files of their own.
func body(render func(io.Writer, Forecast) error) func(io.Writer, Forecast) error {
	return func(w io.Writer, f Forecast) error {
		var b bytes.Buffer
		if err := render(&b, f); err != nil {
			return err
		}
		main := regexp.MustCompile(`(?s)<main>.*</main>`).Find(b.Bytes())
		_, err := w.Write(regexp.MustCompile(`(?s)<details class="key">.*?</details>\n`).ReplaceAll(main, nil))
		return err
	}
}

func TestHTMLDocument(t *testing.T) {
	g := NewWithT(t)
	document := string(written(t, forecast(t, "pod.yaml"), HTML))
	for _, part := range []string{
		"<title>pod.yaml: when its pods are killed</title>", string(page.Policy(template.JS(pageScript))),
		drawing.Style(), style, page.Style(), drawing.Shapes(), drawing.Key(), pageScript,
	} {
		g.Expect(strings.Count(document, part)).To(Equal(1), part)
	}
}

func TestSARIFIsValid(t *testing.T) {
	g := NewWithT(t)
	f := forecast(t, "shop.yaml")
	report, err := sarif.FromBytes(written(t, f, versionedSARIF))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report.Validate()).To(Succeed())
	g.Expect(report.Runs).To(HaveLen(1))
	g.Expect(report.Runs[0].Tool.Driver.Rules).To(HaveLen(len(findings.Rules())))
	for i, r := range findings.Rules() {
		rule := report.Runs[0].Tool.Driver.Rules[i]
		g.Expect(*rule.ID).To(Equal(r.ID))
		g.Expect(*rule.ShortDescription.Text).To(Equal(r.Description))
		g.Expect(*rule.FullDescription.Text).To(Equal(r.Description))
		g.Expect(*rule.Help.Text).To(And(ContainSubstring(r.Fix), Not(ContainSubstring("**"))))
		g.Expect(*rule.Help.Markdown).
			To(And(ContainSubstring("**Fix**: "+r.Fix), ContainSubstring("```yaml\n"+r.Example)))
		g.Expect(*rule.HelpURI).To(Equal(r.DocumentedAt))
		g.Expect(rule.DefaultConfiguration.Level).To(Equal(string(r.Level)))
	}
	g.Expect(*report.Runs[0].Tool.Driver.Version).To(Equal("v1.2.3"))
	g.Expect(report.Runs[0].Results).To(HaveLen(len(f.findings())))
	for i, found := range f.findings() {
		r := report.Runs[0].Results[i]
		g.Expect(*r.RuleID).To(Equal(found.Rule))
		g.Expect(*report.Runs[0].Tool.Driver.Rules[r.RuleIndex].ID).To(Equal(found.Rule))
		g.Expect(r.Level).To(Equal(string(found.Level)))
		g.Expect(*r.Message.Text).To(HaveSuffix(": " + found.Description + ". Fix: " + found.Fix + "."))
		g.Expect(*r.Locations[0].PhysicalLocation.Region.StartLine).To(Equal(found.Line))
		g.Expect(*r.Locations[0].PhysicalLocation.ArtifactLocation.URI).To(Equal("shop.yaml"))
		g.Expect(*r.Locations[0].LogicalLocations[0].Name).To(Equal(found.Field))
	}
	none, err := sarif.FromBytes(written(t, Forecast{Manifest: "a b.yaml"}, versionedSARIF))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(none.Validate()).To(Succeed())
}

// Code scanning finds the line by a relative URI. It refuses a URI that cannot be parsed.
func TestSARIFURIs(t *testing.T) {
	for file, want := range map[string]string{
		"standard input":                "stdin",
		"./deploy/a b.yaml":             "deploy/a%20b.yaml",
		"a:b/c#d.yaml":                  "./a:b/c%23d.yaml",
		"/srv/100%.yaml":                "file:///srv/100%25.yaml",
		"https://example.com/a%20b?c=d": "https://example.com/a%20b?c=d",
	} {
		NewWithT(t).Expect(uri(file)).To(Equal(want))
	}
}

func TestFinds(t *testing.T) {
	g := NewWithT(t)
	shop, pod := forecast(t, "shop.yaml"), forecast(t, "pod.yaml")
	g.Expect(shop.Finds(findings.Error)).To(BeTrue())
	g.Expect(pod.Finds(findings.Error)).To(BeFalse())
	g.Expect(pod.Finds(findings.Warning)).To(BeTrue())
	g.Expect(Forecast{}.Finds(findings.Note)).To(BeFalse())
}

func TestSVGOfTooManyContainers(t *testing.T) {
	f := forecast(t, "pod.yaml")
	for range maxRows {
		f.Predictions = append(f.Predictions, f.Predictions[0])
	}
	NewWithT(t).Expect(SVG(io.Discard, f)).To(MatchError(
		"drawing pod.yaml: 41 containers are too many for one picture, the maximum is 40: split the manifest, or " +
			"write HTML",
	))
}

func TestSVGIsXML(t *testing.T) {
	d := xml.NewDecoder(bytes.NewReader(written(t, forecast(t, "pod.yaml"), SVG)))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestHTMLNamesTheAssumptionOfACrashLoop(t *testing.T) {
	page := string(written(t, forecast(t, "shop.yaml"), HTML))
	NewWithT(t).Expect(page).
		To(ContainSubstring("<caption>If the container fails as soon as it has started, each time:</caption>"))
}

// TestHTMLEscapes expects that a page shows the text of a manifest and never runs it.
func TestHTMLEscapes(t *testing.T) {
	g := NewWithT(t)
	f := forecast(t, "pod.yaml")
	const evil = `<img src=x onerror=alert(1)>` // without a slash, because the page shows the base name of a file
	pod := &f.Predictions[0]
	f.Manifest, pod.Name, pod.Containers[0].Name = evil, evil, evil
	pod.Findings[0].Description, pod.Findings[1].Field = evil, evil
	page := string(written(t, f, HTML))
	g.Expect(page).NotTo(ContainSubstring(evil))
	g.Expect(page).To(ContainSubstring("&lt;img src=x onerror=alert(1)&gt;"))
	g.Expect(page).
		NotTo(MatchRegexp(`(?i)(src|href)="?https?://[^"]*"?[^>]*>\s*</(script|img|link)`), "nothing is loaded")
	g.Expect(page).NotTo(ContainSubstring("<link"))
}

func TestManyWorkloadsAreDrawnOnce(t *testing.T) {
	g := NewWithT(t)
	f := forecast(t, "pod.yaml")
	one := strings.Count(string(written(t, f, HTML)), `<details class="timeline"`)
	g.Expect(one).To(BeNumerically(">", 3))
	for range maxPictures {
		f.Predictions = append(f.Predictions, f.Predictions[0])
	}
	page := string(written(t, f, HTML))
	g.Expect(strings.Count(page, `<details class="timeline"`)).To(Equal(len(f.Predictions)))
	g.Expect(page).To(ContainSubstring("one timeline of each container is drawn"))
}

// many returns a manifest of deployments with hooks and probes, of a number of kinds of pods.
func many(documents, kinds int) string {
	var b strings.Builder
	for i := range documents {
		fmt.Fprintf(&b, `---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-%d
spec:
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      terminationGracePeriodSeconds: %d
      containers:
      - name: app
        image: app:1
        livenessProbe:
          httpGet: {path: /healthz, port: 8080}
        readinessProbe:
          httpGet: {path: /ready, port: 8080}
        startupProbe:
          httpGet: {path: /healthz, port: 8080}
          failureThreshold: %d
        lifecycle:
          preStop:
            exec: {command: [sh, -c, "nginx -s quit; sleep 5"]}
      - name: proxy
        image: proxy:1
        livenessProbe:
          tcpSocket: {port: 15021}
          periodSeconds: %d
`, i, 10+i%kinds, 10+i%kinds, 1+i%kinds)
	}
	return b.String()
}

// rendered reads, predicts and renders a manifest.
func rendered(manifestText string, render func(io.Writer, Forecast) error) (Forecast, error) {
	m, err := manifest.Read(strings.NewReader(manifestText), "")
	if err != nil {
		return Forecast{}, err
	}
	f := Of("many.yaml", m, formula.Kubelet{Version: formula.NewestKnown}, predict.Options{})
	return f, render(io.Discard, f)
}

func asText(w io.Writer, f Forecast) error { return Text(w, f, TextOptions{}) }
func asJSON(w io.Writer, f Forecast) error { return json.NewEncoder(w).Encode(Document(f, false)) }

func BenchmarkThousandDocuments(b *testing.B) {
	for _, kinds := range []int{1, 60, 1000} {
		for format, render := range map[string]func(io.Writer, Forecast) error{"text": asText, "JSON": asJSON} {
			b.Run(fmt.Sprint(kinds, " kinds of pods as ", format), func(b *testing.B) {
				text := many(1000, kinds)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := rendered(text, render); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// A manifest of a thousand different pods is rendered completely. The benchmark measures the time.
func TestThousandDocuments(t *testing.T) {
	g := NewWithT(t)
	f, err := rendered(many(1000, 1000), asText)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(f.Predictions).To(HaveLen(1000))
}

// A custom resource that shares its kind's name with one of Kubernetes is named with its group.
func TestSkippedCustomResources(t *testing.T) {
	g := NewWithT(t)
	m, err := manifest.Read(strings.NewReader(
		"{apiVersion: messaging.knative.dev/v1, kind: Service, metadata: {name: a}}"), "")
	g.Expect(err).NotTo(HaveOccurred())
	var b strings.Builder
	f := Of("a.yaml", m, formula.Kubelet{Version: formula.NewestKnown}, predict.Options{})
	g.Expect(Text(&b, f, TextOptions{})).To(Succeed())
	g.Expect(b.String()).To(And(ContainSubstring("messaging.knative.dev.\n"), ContainSubstring("--template-path")))
}
