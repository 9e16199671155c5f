package observed

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/podclock/podclock/harness/observe"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/apis/observations/v1alpha1"
	"github.com/podclock/podclock/reports/drawing"
)

var began = time.Date(2026, 11, 29, 3, 17, 7, 0, time.UTC)

// exact is an instant that a node part knows.
func exact(after time.Duration) observe.Instant {
	at := began.Add(after)
	return observe.Instant{Earliest: at.Add(-time.Millisecond), At: at, Latest: at, By: observe.ByNode}
}

func seen(after time.Duration) observe.Instant {
	at := began.Add(after)
	return observe.Instant{Earliest: at.Add(-200 * time.Millisecond), At: at, Latest: at, By: observe.ByWatch}
}

var web = observe.Pod{Namespace: "shop", Name: "web-1", UID: "1", Workload: "deployment/web", Node: "a"}

// facts are one of each kind.
func facts() []observe.Fact {
	request := seen(0)
	took := exact(3100 * time.Millisecond).Since(request)
	return []observe.Fact{
		observe.Death{Pod: web, Container: "app", Life: 1, Cause: formula.ByDelete, Why: "by its ReplicaSet",
			Began: &request, At: exact(3100 * time.Millisecond), Outcome: observe.SIGKILL,
			ExitCode: new(int32(137)), Grace: 3 * time.Second,
			Windows: []observe.Compared{{What: "from the delete to the death", Measured: took,
				Window: predict.Span{Earliest: 3 * time.Second, Latest: 5 * time.Second}}}},
		observe.Death{Pod: web, Container: "log", Life: 2, Cause: formula.ByLiveness, Why: "failed\nliveness probe.",
			Began: &request, At: seen(9 * time.Second), Outcome: observe.Exited, ExitCode: new(int32(0)),
			Grace: 3 * time.Second, APIOnly: true,
			Windows: []observe.Compared{{What: "from the kill to the death",
				Measured: seen(9 * time.Second).Since(request),
				Window:   predict.Span{Latest: 5 * time.Second}}}},
		observe.Departure{Pod: web, Cause: formula.ByDelete, Requested: &request, Gone: seen(4 * time.Second),
			Services: []observe.Service{{Name: "web", Left: new(seen(100 * time.Millisecond)),
				Stayed: seen(100 * time.Millisecond).Since(request)}, {Name: "slow"}}},
		observe.Successor{Of: web, Pod: observe.Pod{Name: "web-2"}, Ready: seen(-time.Second),
			After: seen(-time.Second).Since(request)},
		observe.Successor{Of: web, Container: "app", Pod: web, Ready: exact(5 * time.Second),
			After:   exact(5 * time.Second).Since(exact(3100 * time.Millisecond)),
			Windows: []observe.Compared{{Unpredicted: "lives before the observation decide its back-off"}}},
		observe.Gap{From: began, To: began.Add(time.Minute), What: "the watch of pods broke off"},
	}
}

func TestLines(t *testing.T) {
	time.Local = time.UTC
	var lines []string
	for _, f := range facts() {
		lines = append(lines, Line(f))
	}
	NewWithT(t).Expect(lines).To(Equal([]string{
		"03:17:10.100 ±1ms  died   web-1 container app: delete, killed by SIGKILL; 3.10 s ±0.20s after the delete, 103 % of " +
			"its grace period of 3 s; predicted 3 to 5 s: within; by its ReplicaSet",
		"03:17:16.000 ±0.20s  died   web-1 container log: liveness, exited with code 0; 9.00 s ±0.20s after the kill " +
			"began, 300 % of its grace period of 3 s; predicted 0 to 5 s: LATE by 3.800 s; seen from the API only; failed " +
			"liveness probe",
		"03:17:11.000 ±0.20s  gone   web-1: delete; 4.00 s ±0.20s after the delete; in Service web for 0.10 s ±0.20s; " +
			"Service slow never showed it as not ready",
		"03:17:06.000 ±0.20s  ready  web-2 in place of web-1, 1.00 s ±0.20s before its delete",
		"03:17:12.000 ±1ms  ready  web-1 container app again, 1.900 s after its death; started 0.000 s after it; not " +
			"predicted: lives before the observation decide its back-off",
		"03:17:07.000  gap    until 03:18:07.000: the watch of pods broke off",
	}))
}

// Each document has the published schema.
func TestDocuments(t *testing.T) {
	g := NewWithT(t)
	c := jsonschema.NewCompiler()
	var schema any
	g.Expect(json.Unmarshal([]byte(v1alpha1.Schema), &schema)).To(Succeed())
	g.Expect(c.AddResource("schema", schema)).To(Succeed())
	published, err := c.Compile("schema")
	g.Expect(err).NotTo(HaveOccurred())
	var tally observe.Tally
	documents := []v1alpha1.Observation{}
	for _, f := range facts() {
		tally.Add(f)
		documents = append(documents, Document(f))
	}
	all := tally.Summaries()
	g.Expect(all).To(HaveLen(1))
	documents = append(documents, SummaryDocument(all[0]))
	for _, d := range documents {
		text, err := json.Marshal(d)
		g.Expect(err).NotTo(HaveOccurred())
		var value any
		g.Expect(json.Unmarshal(text, &value)).To(Succeed())
		g.Expect(published.Validate(value)).To(Succeed(), string(text))
	}
	g.Expect(Summary(all[0])).To(Equal("shop/deployment/web: 2 deaths, 1 pod gone (delete 1, liveness 1); " +
		"termination p50 3.100 s, p99 9.000 s, longest 9.000 s; 1 killed by SIGKILL, 1 late, 1 outside their " +
		"windows, 0 not predicted"))
}

func TestMetrics(t *testing.T) {
	g := NewWithT(t)
	m := NewMetrics()
	for _, f := range facts() {
		m.Add(f)
	}
	var b bytes.Buffer
	g.Expect(m.Write(&b)).To(Succeed())
	g.Expect(b.String()).To(And(
		ContainSubstring("# TYPE podclock_termination_seconds histogram"),
		ContainSubstring(`cause="delete",namespace="shop",outcome="SIGKILL",workload="deployment/web",le="2.5"} 0`),
		ContainSubstring(`cause="delete",namespace="shop",outcome="SIGKILL",workload="deployment/web",le="5.0"} 1`),
		ContainSubstring(`cause="liveness",namespace="shop",outcome="exited",workload="deployment/web"} 9`),
		HaveSuffix("# EOF\n"),
	))
	b.Reset()
	g.Expect(NewMetrics().Write(&b)).To(Succeed())
	g.Expect(b.String()).To(Equal("# EOF\n"))
}

// The page has the answer, a picture of each kill beside its window, what may be missing, and every line.
func TestPage(t *testing.T) {
	time.Local = time.UTC
	g := NewWithT(t)
	var tally observe.Tally
	for _, f := range facts() {
		tally.Add(f)
	}
	p := Page{Of: "namespace shop", From: began, To: began.Add(time.Minute), Facts: facts(),
		Summaries: tally.Summaries()}
	var b bytes.Buffer
	g.Expect(HTML(&b, p)).To(Succeed())
	g.Expect(b.String()).To(And(
		ContainSubstring("2 deaths, 1 by SIGKILL, 1 outside of what is predicted"),
		ContainSubstring("Something may be missing: 03:17:07.000  gap"),
		ContainSubstring("the grace period of 3 s"), ContainSubstring("LATE by 3.800 s"),
		ContainSubstring("Service web shows the pod as not ready"), Not(ContainSubstring("http:")),
	))
	d := p.Drawing(p.Summaries[0], p.deaths(p.Summaries[0]))
	g.Expect(d.Rows).To(HaveLen(2))
	g.Expect(d.Rows[0].Name).To(Equal("web-1, container log: liveness"), "what is outside of its window comes first")
	g.Expect(d.Rows[0].Windows[0].Verdict).To(Equal("deviates"))
	g.Expect(d.Rows[1].Windows[0].Verdict).To(Equal("conforms"))
	g.Expect(d.Rows[1].Marks[0].Kind).To(Equal(drawing.SIGKILL))
	b.Reset()
	g.Expect(HTML(&b, Page{Of: "namespace shop"})).To(Succeed())
	g.Expect(b.String()).To(ContainSubstring("No container died and no pod went."))
}

// A scrape by protocol buffers has the native buckets.
func TestNativeHistogram(t *testing.T) {
	g := NewWithT(t)
	m := NewMetrics()
	for _, f := range facts() {
		m.Add(f)
	}
	protocol := expfmt.NewFormat(expfmt.TypeProtoDelim)
	r, w := httptest.NewRequest(http.MethodGet, "/metrics", nil), httptest.NewRecorder()
	r.Header.Set("Accept", string(protocol))
	m.Handler().ServeHTTP(w, r)
	var f dto.MetricFamily
	g.Expect(expfmt.NewDecoder(w.Body, protocol).Decode(&f)).To(Succeed())
	g.Expect(f.GetName()).To(Equal("podclock_termination_seconds"))
	g.Expect(f.Metric).To(HaveLen(2))
	for _, one := range f.Metric {
		g.Expect(one.Histogram.PositiveSpan).To(HaveLen(1))
		g.Expect(one.Histogram.GetSampleCount()).To(Equal(uint64(1)))
	}
}
