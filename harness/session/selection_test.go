package session_test

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/spf13/pflag"

	"github.com/podclock/podclock/harness/host/option"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/suites"
)

// kindBase is the least kind configuration.
const kindBase = "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n"

// parsed reads a configuration from variables, as the program does.
func parsed(environment map[string]string) (session.Config, error) {
	c := session.Config{KindBase: []byte(kindBase)}
	set := pflag.NewFlagSet("session", pflag.ContinueOnError)
	c.AddFlags(set)
	c.AddSelectionFlags(set)
	err := option.ReadEnvironment(set,
		func(name string) (string, bool) { return environment[name], environment[name] != "" })
	if err != nil {
		return session.Config{}, err
	}
	resolved, err := c.Resolve()
	return resolved, option.AsGiven(set, err)
}

// chosen returns the trials and subjects that an environment selects, with copies of each subject.
func chosen(g *WithT, environment map[string]string, copies int) (trials, subjects []string) {
	c, err := parsed(environment)
	g.Expect(err).NotTo(HaveOccurred())
	if copies > 1 {
		c, err = c.WithCopies(copies)
		g.Expect(err).NotTo(HaveOccurred())
	}
	selected, _, err := c.Select(suites.Catalogue())
	g.Expect(err).NotTo(HaveOccurred())
	for _, s := range selected {
		if !slices.Contains(trials, s.Trial.ID) {
			trials = append(trials, s.Trial.ID)
		}
		if !slices.Contains(subjects, s.Subject) {
			subjects = append(subjects, s.Subject)
		}
	}
	g.Expect(selected).To(HaveLen(len(trials)*len(subjects)), "all trials on all subjects")
	return trials, subjects
}

func TestSelection(t *testing.T) {
	g := NewWithT(t)
	var quick []string
	for _, one := range suites.Catalogue() {
		if trial.Quick.Holds(one) {
			quick = append(quick, one.ID)
		}
	}
	trials, subjects := chosen(g, map[string]string{}, 1)
	g.Expect(trials).To(Equal(quick))
	g.Expect(subjects).To(Equal([]string{"v1.37.2"}))

	onNodes := slices.DeleteFunc(suites.Catalogue(), trial.Trial.VirtualOnly)
	g.Expect(len(onNodes)).To(BeNumerically("<", len(suites.Catalogue())))
	trials, _ = chosen(g, map[string]string{"PROFILE": "full"}, 1)
	g.Expect(len(trials)).To(Equal(len(onNodes)))
	trials, _ = chosen(g, map[string]string{"LANE": "virtual", "SUBJECTS": "v1.37.2"}, 1)
	g.Expect(len(trials)).To(Equal(len(suites.Catalogue())))
	// In a run of both lanes, a trial for virtual nodes only has no real node as a subject.
	trials, subjects = chosen(g, map[string]string{
		"SUBJECTS": "v1.37.2,virtual:v1.37.2", "PROFILE": "full", "FOCUS": "collected-while-starting$",
	}, 1)
	g.Expect(trials).To(Equal([]string{"restarts/collected-while-starting"}))
	g.Expect(subjects).To(Equal([]string{"virtual:v1.37.2"}))

	trials, _ = chosen(g, map[string]string{"FOCUS": "termination/grace-[12]$"}, 1)
	g.Expect(trials).To(ConsistOf("termination/grace-1", "termination/grace-2"))
	trials, _ = chosen(g, map[string]string{"FOCUS": "termination/grace-[12]$", "SKIP": "grace-1"}, 1)
	g.Expect(trials).To(Equal([]string{"termination/grace-2"}))
	trials, _ = chosen(g, map[string]string{"LABELS": "eviction && !disruptive", "PROFILE": "full"}, 1)
	g.Expect(trials).NotTo(BeEmpty())
	g.Expect(trials).To(HaveEach(HavePrefix("eviction/")))

	// Ginkgo matches the suite's name, the subject and the trial as one text.
	trials, subjects = chosen(g,
		map[string]string{"FOCUS": `^podclock v1\.35\.4 termination/grace-1$`, "SUBJECTS": "v1.37.2,v1.35.4"}, 1)
	g.Expect(trials).To(Equal([]string{"termination/grace-1"}))
	g.Expect(subjects).To(Equal([]string{"v1.35.4"}))
}

func TestCopies(t *testing.T) {
	g := NewWithT(t)
	_, subjects := chosen(g, map[string]string{"FOCUS": "termination/grace-1$"}, 3)
	g.Expect(subjects).To(Equal([]string{"v1.37.2", "v1.37.2#2", "v1.37.2#3"}))
	_, subjects = chosen(g,
		map[string]string{"LANE": "virtual", "SUBJECTS": "v1.37.2,v1.35.4", "FOCUS": "termination/grace-1$"}, 2)
	g.Expect(subjects).
		To(Equal([]string{"virtual:v1.37.2", "virtual:v1.37.2#2", "virtual:v1.35.4", "virtual:v1.35.4#2"}))
}

func TestSelectionNamesTheVariable(t *testing.T) {
	for want, environment := range map[string]map[string]string{
		"FOCUS=(":            {"FOCUS": "("},
		"SKIP=[":             {"SKIP": "["},
		"LABELS=&&":          {"LABELS": "&&"},
		`focus "nothing"`:    {"FOCUS": "nothing"},
		"--profile=full has": {"FOCUS": "nothing"},
		"virtual subject":    {"FOCUS": "collected-while-starting", "PROFILE": "full"},
	} {
		c := session.Config{KindBase: []byte(kindBase)}
		set := pflag.NewFlagSet("session", pflag.ContinueOnError)
		c.AddFlags(set)
		c.AddSelectionFlags(set)
		g := NewWithT(t)
		g.Expect(option.ReadEnvironment(set, func(name string) (string, bool) { return environment[name], true })).To(
			Succeed())
		resolved, err := c.Resolve()
		g.Expect(err).NotTo(HaveOccurred())
		_, _, err = resolved.Select(suites.Catalogue())
		g.Expect(option.AsGiven(set, err)).To(MatchError(ContainSubstring(want)), "%v", environment)
	}
}

func TestNoCopiesOfCopies(t *testing.T) {
	g := NewWithT(t)
	c, err := parsed(map[string]string{"SUBJECTS": "v1.37.2,v1.37.2#2"})
	g.Expect(err).NotTo(HaveOccurred())
	_, err = c.WithCopies(2)
	g.Expect(err).To(MatchError(ContainSubstring("occurs twice")))
}
