//go:build linux

package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
)

func TestFillsAFolderSomeTimeAfterItsStart(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		run   victim.Run
		files int
		bytes int64
	}{
		"bytes": {victim.Run{FillBytes: 5<<20 + 17}, 1, 5<<20 + 17},
		"files": {victim.Run{FillFiles: 1300}, 1300, 0},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			c.run.FillDir, c.run.FillAfter = filepath.Join(t.TempDir(), "made", "by the victim"), 300*time.Millisecond
			for life := 1; life <= 2; life++ { // the second finds what the first left, and adds nothing
				p := r.life(c.run)
				filled := r.await(mark.Filled, life)
				r.g.Expect(filled.Detail.Note).To(BeEmpty())
				r.g.Expect(r.await(mark.FillBegan, life).Sent - r.await(mark.Started, life).Sent).
					To(BeNumerically(">=", int64(299*time.Millisecond)))
				files, bytes := holds(r.g, c.run.FillDir)
				r.g.Expect(files).To(Equal(c.files))
				r.g.Expect(bytes).To(Equal(c.bytes))
				r.g.Expect(p.alive()).To(BeTrue())
				r.g.Expect(p.Process.Kill()).To(Succeed())
				p.exit()
			}
		})
	}
}

func holds(g *WithT, dir string) (files int, bytes int64) {
	entries, err := os.ReadDir(dir)
	g.Expect(err).NotTo(HaveOccurred())
	for _, entry := range entries {
		info, err := entry.Info()
		g.Expect(err).NotTo(HaveOccurred())
		bytes += info.Size()
	}
	return len(entries), bytes
}

func TestWhatStopsTheFillingStopsNothingElse(t *testing.T) {
	t.Parallel()
	full := t.TempDir()
	NewWithT(t).Expect(os.Symlink("/dev/full", filepath.Join(full, "fill"))).To(Succeed())
	file := filepath.Join(t.TempDir(), "file")
	NewWithT(t).Expect(os.WriteFile(file, nil, 0o600)).To(Succeed())
	taken := t.TempDir()
	NewWithT(t).Expect(os.Mkdir(filepath.Join(taken, "fill-2"), 0o700)).To(Succeed())
	for what, c := range map[string]struct {
		run  victim.Run
		want []string
	}{
		"a full disk": {
			victim.Run{FillDir: full, FillBytes: 1 << 20},
			[]string{"after 0 of 1048576 bytes", "no space left on device"},
		},
		"a file as folder": {victim.Run{FillDir: file, FillFiles: 1}, []string{"not a directory"}},
		"a folder as file": {
			victim.Run{FillDir: taken, FillFiles: 5}, []string{"after 2 of 5 files", "is a directory"},
		},
		"a file as way to it": {
			victim.Run{FillDir: filepath.Join(file, "below"), FillBytes: 1}, []string{"not a directory"},
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			c.run.Term, c.run.ExitCode = victim.ExitNow, 5
			p := r.life(c.run)
			note := r.await(mark.Filled, 1).Detail.Note
			for _, part := range c.want {
				r.g.Expect(note).To(ContainSubstring(part))
			}
			r.g.Expect(r.kinds(mark.Run)).
				To(Equal([]mark.Kind{mark.Connected, mark.Started, mark.FillBegan, mark.Filled}))
			r.g.Expect(p.alive()).To(BeTrue())
		})
	}
}
