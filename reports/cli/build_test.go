package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/host/cache"
	runs "github.com/podclock/podclock/harness/measure/run"
)

func TestBuildPrintsThePathOfEachSubject(t *testing.T) {
	g := NewWithT(t)
	folder, err := filepath.EvalSymlinks(t.TempDir())
	g.Expect(err).NotTo(HaveOccurred())
	t.Chdir(folder)
	for _, name := range []string{"one", "two", "three"} {
		g.Expect(os.WriteFile(name, []byte("#!/bin/sh\necho 'Kubernetes v1.36.3'\n"), 0o755)).To(Succeed())
	}
	got := call(t.Context(), "build", "./one, ./two", "./three")
	g.Expect(got.code).To(Equal(runs.ExitConforms), got.log)
	g.Expect(got.out).To(Equal(folder + "/one\n" + folder + "/two\n" + folder + "/three\n"))
}

func TestBuildSaysWhatItDoes(t *testing.T) {
	for _, subject := range []string{"v1.36.3+resultrun-one", "virtual:v1.36.3"} {
		g := NewWithT(t)
		t.Setenv(cache.Variable, t.TempDir()) // an empty cache
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		log := &endsAt{words: "kubelet " + subject + ": building a ", end: cancel}
		var out bytes.Buffer
		g.Expect(tested.Execute(ctx, []string{"build", subject}, strings.NewReader(""), &out, log)).
			To(Equal(runs.ExitUnjudged))
		g.Expect(log.String()).
			To(And(ContainSubstring(log.words),
				MatchRegexp("podclock: building kubelet "+regexp.QuoteMeta(subject)+": .*context canceled")))
		g.Expect(out.String()).To(BeEmpty())
	}
}

// endsAt is a log that interrupts the build at a text, because a whole build takes minutes.
type endsAt struct {
	said  bytes.Buffer // not embedded, because bytes.Buffer would consume the text itself
	words string
	end   func()
}

func (e *endsAt) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte(e.words)) {
		e.end()
	}
	return e.said.Write(b)
}

func (e *endsAt) String() string { return e.said.String() }

func TestBuildRefusesAsSUBJECTSDoes(t *testing.T) {
	t.Setenv(cache.Variable, t.TempDir())
	for name, tt := range map[string]struct {
		args []string
		says string // the beginning of the message
	}{
		"nothing to build": {nil, "no subject to build"},
		"an unknown version": {[]string{"v1.36.3+resultrun-one,v9.9.9"},
			`subject "v9.9.9": there is no kubelet "v9.9.9": write a branch`},
		"a virtual binary": {[]string{"v1.36.3+resultrun-one", "virtual:./kubelet"},
			`subject "virtual:./kubelet": a binary can't run in virtual time`},
		"one subject twice": {[]string{"virtual:v1.36.3", "virtual:v1.36.3"},
			`subject "virtual:v1.36.3" occurs twice`},
		"an empty subject": {[]string{"v1.36.3,"}, "an empty subject: write a version"},
	} {
		t.Run(name, func(t *testing.T) {
			got := call(t.Context(), append([]string{"build"}, tt.args...)...)
			NewWithT(t).Expect(got.log).To(HavePrefix("podclock: "+tt.says), "nothing is built before all is read")
		})
	}
}

// TestKeyOfWhatIsBuilt expects the same key for the same subjects, and another key for others.
func TestKeyOfWhatIsBuilt(t *testing.T) {
	g := NewWithT(t)
	key := func(subjects ...string) string {
		got := call(t.Context(), append([]string{"build", "--key"}, subjects...)...)
		g.Expect(got.code).To(Equal(runs.ExitConforms), got.log)
		g.Expect(got.out).To(MatchRegexp("^[0-9a-f]{64}\n$"))
		return got.out
	}
	g.Expect(key()).To(Equal(key()))
	g.Expect(key("v1.35.4")).To(Equal(key("v1.35.4")))
	keys := map[string]bool{
		key():                             true,
		key("v1.35.4"):                    true,
		key("virtual:v1.35.4"):            true,
		key("v1.35.4+resultrun-one"):      true,
		key("v1.35.4", "virtual:v1.35.4"): true,
	}
	g.Expect(keys).To(HaveLen(5))
}
