//go:build linux

package main

import (
	"net/http"
	"strconv"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
)

// follow is a prober that follows redirects within a host and stops at one to another, as the kubelet's does.
func follow(request *http.Request, via []*http.Request) error {
	if request.URL.Hostname() != via[0].URL.Hostname() {
		return http.ErrUseLastResponse
	}
	return nil
}

func TestRedirectsOfHTTPProbes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	port := freePort(t)
	r.life(victim.Run{HTTPPort: port, Liveness: "SRDWN", Readiness: "D", Startup: "P"})
	client := http.Client{Timeout: timeout, CheckRedirect: follow}
	get := func(path string) (code int, location string) {
		response, err := client.Get("http://127.0.0.1:" + strconv.Itoa(port) + path)
		r.g.Expect(err).NotTo(HaveOccurred())
		_ = response.Body.Close()
		return response.StatusCode, response.Header.Get("Location")
	}
	for _, want := range []int{200, 200, 500} {
		code, location := get("/" + victim.Liveness)
		r.g.Expect(code).To(Equal(want))
		r.g.Expect(location).To(BeEmpty(), "it was followed")
	}
	code, location := get("/" + victim.Liveness)
	r.g.Expect(code).To(Equal(http.StatusFound))
	r.g.Expect(location).To(Equal(victim.ElsewhereURL))
	code, _ = get("/" + victim.Liveness)
	r.g.Expect(code).To(Equal(http.StatusNotFound))
	code, _ = get("/" + victim.Readiness)
	r.g.Expect(code).To(Equal(http.StatusInternalServerError))
	_, err := client.Get("http://127.0.0.1:" + strconv.Itoa(port) + "/" + victim.Startup)
	r.g.Expect(err).To(MatchError(ContainSubstring("127.0.0.1:"+victim.ClosedPort)), "it was followed, to no avail")
	code, _ = get("/followed/liveness/first/R")
	r.g.Expect(code).To(Equal(http.StatusNotFound))
	r.g.Expect(r.probed(7)).To(Equal([]string{
		"liveness 0 S http",
		"liveness 1 R http",
		"liveness 2 D http",
		"liveness 3 W http",
		"liveness 4 N http",
		"readiness 0 D http",
		"startup 0 P http",
	}), "what follows a redirect is no probe of its own")

	r.await(mark.Followed, 3)
	var followed []mark.ProbeDetail
	for _, record := range r.all(mark.Followed) {
		followed = append(followed, *record.Detail.Probe)
	}
	r.g.Expect(followed).To(Equal([]mark.ProbeDetail{
		{
			For:     "liveness",
			Handler: "http",
			Index:   1,
			Answer:  "R",
		},
		{For: "liveness", Handler: "http", Index: 2, Answer: "D"},
		{For: "readiness", Handler: "http", Index: 0, Answer: "D"},
	}))
}

// A script for HTTP whose probe comes another way fails, visibly, instead of succeeding by not being understood.
func TestAnAnswerThatOnlyHTTPHasFailsElsewhere(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.life(victim.Run{HTTPPort: freePort(t), Liveness: "ERDPW"})
	for range 5 {
		r.g.Expect(r.start(victim.ExecProbe{For: victim.Liveness}.Args()...).exit()).To(Equal(1))
	}
	r.g.Expect(r.probed(5)).To(Equal([]string{
		"liveness 0 F exec", "liveness 1 F exec", "liveness 2 F exec", "liveness 3 F exec", "liveness 4 F exec",
	}))
}
