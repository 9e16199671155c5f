package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/cache"
)

// built is what podclock build prints.
func built(ctx context.Context, log io.Writer, args ...string) (string, error) {
	var out bytes.Buffer
	command := build(&out, log)
	command.SilenceErrors, command.SilenceUsage = true, true
	command.SetArgs(args)
	err := command.ExecuteContext(ctx)
	return out.String(), err
}

func TestBuildPrintsThePathOfEachSubject(t *testing.T) {
	g := NewWithT(t)
	folder, err := filepath.EvalSymlinks(t.TempDir())
	g.Expect(err).NotTo(HaveOccurred())
	t.Chdir(folder)
	for _, name := range []string{"one", "two", "three"} {
		g.Expect(os.WriteFile(name, []byte("#!/bin/sh\necho 'Kubernetes v1.36.3'\n"), 0o755)).To(Succeed())
	}
	out, err := built(t.Context(), io.Discard, "./one, ./two", "./three")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(out).To(Equal(folder + "/one\n" + folder + "/two\n" + folder + "/three\n"))
}

func TestBuildSaysWhatItDoes(t *testing.T) {
	for _, subject := range []string{"v1.36.3+resultrun-one", "virtual:v1.36.3"} {
		g := NewWithT(t)
		t.Setenv(cache.Variable, t.TempDir()) // nothing was built before
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		log := &endsAt{words: "kubelet " + subject + ": building a ", end: cancel}
		out, err := built(ctx, log, subject)
		g.Expect(err).To(MatchError(And(HavePrefix("building kubelet "+subject+": "), ContainSubstring("context canceled"))), log.String())
		g.Expect(log.String()).To(ContainSubstring(log.words))
		g.Expect(out).To(BeEmpty())
	}
}

// endsAt is a log that ends what it tells of as soon as it says these words: a whole build would take minutes.
type endsAt struct {
	bytes.Buffer
	words string
	end   func()
}

func (e *endsAt) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte(e.words)) {
		e.end()
	}
	return e.Buffer.Write(b)
}

func TestBuildRefusesAsSUBJECTSDoes(t *testing.T) {
	t.Setenv(cache.Variable, t.TempDir())
	for name, tt := range map[string]struct {
		args []string
		says string // its beginning
	}{
		"nothing to build":   {nil, "requires at least 1 arg"},
		"an unknown version": {[]string{"v1.36.3+resultrun-one,v9.9.9"}, `subject "v9.9.9": there is no kubelet "v9.9.9"; the versions are`},
		"a virtual binary":   {[]string{"v1.36.3+resultrun-one", "virtual:./kubelet"}, `subject "virtual:./kubelet": a binary can't be put into virtual time`},
		"one subject twice":  {[]string{"virtual:v1.36.3", "virtual:v1.36.3"}, `subject "virtual:v1.36.3" is named twice`},
		"an empty subject":   {[]string{"v1.36.3,"}, "an empty subject: write a version"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			var log bytes.Buffer
			_, err := built(t.Context(), &log, tt.args...)
			g.Expect(err).To(MatchError(HavePrefix(tt.says)))
			g.Expect(log.String()).To(BeEmpty(), "nothing is built before all is read")
		})
	}
}
