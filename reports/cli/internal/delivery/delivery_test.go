package delivery

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/session"
)

func saved(t *testing.T) (dir string) {
	dir = filepath.Join(t.TempDir(), "20260101-000000")
	NewWithT(t).Expect(os.CopyFS(dir, os.DirFS("testdata"))).To(Succeed())
	return dir
}

// read returns the files of an archive.
func read(t *testing.T, r io.Reader) map[string]string {
	t.Helper()
	files := map[string]string{}
	for archive := tar.NewReader(r); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		text, err := io.ReadAll(archive)
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		files[header.Name] = string(text)
	}
}

func unpack(t *testing.T, packed io.Reader) map[string]string {
	t.Helper()
	zip, err := gzip.NewReader(packed)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return read(t, zip)
}

var packed = map[string]string{"20260101-000000/junit.xml": "<a/>\n", "20260101-000000/deviations/a.md": "b\n"}

// The container ends when kubectl cp has the results.
func TestResultsWaitUntilTheyAreCopied(t *testing.T) {
	g := NewWithT(t)
	dir := saved(t)
	tarball := filepath.Join(filepath.Dir(dir), Tarball)
	g.Expect(os.WriteFile(tarball+copied, nil, 0o600)).To(Succeed(), "those of the time before")
	delivered := make(chan error)
	log := &bytes.Buffer{}
	go func() { delivered <- Options{How: Copy, Within: time.Minute}.Deliver(t.Context(), dir, log) }()
	g.Eventually(tarball, "5s").Should(BeAnExistingFile())
	g.Consistently(delivered, "1200ms").ShouldNot(Receive())

	var out bytes.Buffer
	g.Expect(Tar(&out, []string{"cf", "-", tarball})).To(Succeed())
	files := read(t, &out)
	g.Expect(files).To(HaveLen(1))
	g.Expect(unpack(t, strings.NewReader(files[strings.TrimPrefix(tarball, "/")]))).To(Equal(packed))
	g.Eventually(delivered, "5s").Should(Receive(BeNil()))
	g.Expect(log.String()).To(And(ContainSubstring("kubectl cp"), HaveSuffix("the results were copied\n")))
	g.Expect(Tar(&out, []string{"xf", "-"})).To(MatchError(ContainSubstring("only `tar cf - PATH`")))
}

func TestTheWaitIsBounded(t *testing.T) {
	g := NewWithT(t)
	log := &bytes.Buffer{}
	g.Expect(Options{How: Copy, Within: time.Millisecond}.Deliver(t.Context(), saved(t), log)).To(Succeed())
	g.Expect(log.String()).To(HaveSuffix("nobody copied the results; they stay on the volume\n"))
}

func TestSonobuoyGetsADoneFile(t *testing.T) {
	g := NewWithT(t)
	results := t.TempDir()
	t.Setenv("SONOBUOY_RESULTS_DIR", results)
	g.Expect(Options{How: Sonobuoy}.Deliver(t.Context(), saved(t), io.Discard)).To(Succeed())
	path, err := os.ReadFile(filepath.Join(results, "done"))
	g.Expect(err).NotTo(HaveOccurred())
	file, err := os.Open(string(path))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(unpack(t, file)).To(Equal(packed))
	g.Expect(file.Close()).To(Succeed())
}

// A pod that is stopped while its results wait does not end as one that delivered them.
func TestTheWaitIsStopped(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errors.New("terminated"))
	NewWithT(t).Expect(Options{How: Copy, Within: time.Minute}.Deliver(ctx, saved(t), io.Discard)).
		To(MatchError("terminated"))
}

// Results are not replaced by an error that comes after them.
func TestSonobuoyKeepsItsResults(t *testing.T) {
	g := NewWithT(t)
	results := t.TempDir()
	t.Setenv("SONOBUOY_RESULTS_DIR", results)
	late := errors.New("late")
	g.Expect(Options{How: Copy}.Failed(late)).To(MatchError("late"))
	g.Expect(Options{How: Sonobuoy}.Failed(nil)).To(Succeed())
	g.Expect(filepath.Join(results, "done")).NotTo(BeAnExistingFile())
	g.Expect(Options{How: Sonobuoy}.Deliver(t.Context(), saved(t), io.Discard)).To(Succeed())
	g.Expect(Options{How: Sonobuoy}.Failed(late)).To(MatchError("late"))
	g.Expect(filepath.Join(results, "error")).NotTo(BeADirectory())
}

type display struct{ io.Writer }

func (display) Update(runner.State) {}
func (display) Stop()               {}

func TestSonobuoyGetsTheProgress(t *testing.T) {
	g := NewWithT(t)
	var mu sync.Mutex
	var last update
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		last = update{}
		g.Expect(r.URL.Path).To(Equal("/progress"))
		g.Expect(json.NewDecoder(r.Body).Decode(&last)).To(Succeed())
	}))
	defer server.Close()
	at, err := url.Parse(server.URL)
	g.Expect(err).NotTo(HaveOccurred())
	t.Setenv("SONOBUOY_PROGRESS_PORT", at.Port())
	show := Options{How: Sonobuoy}.Show(func(run.Lane) session.Display { return display{io.Discard} }, 3)
	p := show(run.NodeLane)
	for id, state := range map[string]runner.State{
		"a/1": {Phase: runner.Done, Verdict: trial.Conforms}, "a/2": {Phase: runner.Done, Verdict: trial.Deviates},
		"a/3": {Phase: runner.Running},
	} {
		state.Selection = runner.Selection{Trial: trial.Trial{ID: id}, Subject: "n"}
		p.Update(state)
		p.Update(state)
	}
	p.Stop()
	mu.Lock()
	defer mu.Unlock()
	g.Expect(last.Message).NotTo(BeEmpty())
	last.Message = ""
	g.Expect(last).To(Equal(update{Total: 3, Completed: 1, Failures: []string{"a/2 on n"}}))
}

func TestComplete(t *testing.T) {
	g := NewWithT(t)
	judged := run.Outcome{Verdict: trial.Conforms}
	never := run.Outcome{Verdict: trial.Inconclusive}
	g.Expect(Complete(run.Run{Outcomes: []run.Outcome{judged}})).To(BeTrue())
	g.Expect(Complete(run.Run{Outcomes: []run.Outcome{judged, never}})).To(BeFalse())
}
