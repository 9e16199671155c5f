package main

import (
	"bytes"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/reports"
)

func TestRepeatOfSavedRuns(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	run := reports.Run{ID: "20260302-095800", Subjects: []reports.Subject{{Name: "v1.36.3"}}, Outcomes: []reports.Outcome{
		{Trial: "a/b", Subject: "v1.36.3", Verdict: "conforms", Attempts: make([]reports.Attempt, 1)},
	}}
	g.Expect(reports.Save(dir, run)).To(Succeed())
	told := func(args ...string) (code int, text string, err error) {
		var out, log bytes.Buffer
		command := repeat(&code, &out, &log)
		command.SilenceErrors, command.SilenceUsage = true, true
		command.SetArgs(args)
		err = command.Execute()
		return code, out.String(), err
	}
	other := t.TempDir()
	second := run
	second.ID = "20260302-095900"
	g.Expect(reports.Save(other, second)).To(Succeed())
	code, text, err := told("--of", dir, "--of", other)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(code).To(Equal(reports.ExitConforms))
	g.Expect(text).To(ContainSubstring("# Repeats (2 of v1.36.3): 0 deviations, 0.00 % inconclusive, 2 of 2 rounds"))

	_, text, err = told("--of", dir, "--of", filepath.Join(dir, reports.RunFile), "--of", other)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(text).To(ContainSubstring("# Repeats (2 of v1.36.3)"), "a run that is named twice counts once")

	for _, below := range []string{"-1", "100.5", "NaN"} {
		_, _, err = told("--of", dir, "--inconclusive-below="+below)
		g.Expect(err).To(MatchError(ContainSubstring("from 0 to 100")), below)
	}

	to := filepath.Join(t.TempDir(), "new", "folder")
	code, text, err = told("--of", dir, "--to", to, "--inconclusive-below", "0")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(code).To(Equal(reports.ExitUnjudged))
	g.Expect(text).To(ContainSubstring("less than 0.00 %"))
	g.Expect(filepath.Join(to, reports.RepeatFile)).To(BeAnExistingFile())

	_, text, err = told("--judge", "--of", dir)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(text).To(ContainSubstring("1 of 1 (100.00 %)"), "the catalogue has no such trial any more: inconclusive")

	_, _, err = told("--to", to)
	g.Expect(err).To(MatchError(ContainSubstring("--of")))
	_, _, err = told("--of", t.TempDir())
	g.Expect(err).To(MatchError(ContainSubstring("no saved run")))
}
