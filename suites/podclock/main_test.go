package main

import (
	"bytes"
	"regexp"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/reports"
	"github.com/podclock/podclock/suites"
)

// A cluster must be deletable whatever else is set for the run that made it.
func TestClusterNameNeedsNothingElse(t *testing.T) {
	for want, environment := range map[string]map[string]string{
		"podclock": {"CLUSTER": "", "SUBJECTS": "./gone/kubelet", "PROFILE": "none", "KEEP": "maybe", "NODE_IMAGE": "what?", "KIND_CONFIG": "gone.yaml"},
		"mine":     {"CLUSTER": "mine", "KEEP": "maybe"},
	} {
		g := NewWithT(t)
		name, err := clusterName(environment)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(name).To(Equal(want))
	}
}

func TestDivergencesOfAPartialRunAreRefused(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	run := reports.Run{ID: "20260302-095800", Profile: "quick", Subjects: []reports.Subject{{Name: kubelet.Versions()[0]}}, Problems: []string{"interrupted"}}
	written := func(args ...string) (string, error) {
		g.Expect(reports.Save(dir, run)).To(Succeed())
		var out bytes.Buffer
		command := divergences(&out)
		command.SilenceErrors, command.SilenceUsage = true, true
		command.SetArgs(append(args, dir))
		err := command.Execute()
		return out.String(), err
	}
	text, err := written()
	g.Expect(text).To(BeEmpty())
	g.Expect(err).To(MatchError(And(ContainSubstring(`"quick"`), ContainSubstring("v1.23.1"), ContainSubstring("interrupted"), ContainSubstring("not selected"),
		ContainSubstring("PROFILE=full SUBJECTS="), ContainSubstring("--any"))))
	text, err = written("--any")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(text).To(And(ContainSubstring("Not the whole of it"), ContainSubstring("interrupted")))

	run = reports.Run{ID: run.ID, Profile: "full"}
	for _, v := range kubelet.Versions() {
		run.Subjects = append(run.Subjects, reports.Subject{Name: v})
		for _, id := range ids() {
			run.Outcomes = append(run.Outcomes, reports.Outcome{Trial: id, Subject: v})
		}
	}
	text, err = written()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(text).NotTo(ContainSubstring("Not the whole of it"))
}

// The command that reproduces a divergence chooses its trial by the end of its spec's text.
func TestNoIDEndsWithAnother(t *testing.T) {
	for _, id := range ids() {
		end := regexp.MustCompile(regexp.QuoteMeta(id) + "$")
		for _, other := range suites.Catalogue() {
			if other.ID != id && end.MatchString(other.ID) {
				t.Errorf("FOCUS='%s$$' chooses %s, too", id, other.ID)
			}
		}
	}
}
