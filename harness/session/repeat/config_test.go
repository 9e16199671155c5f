package repeat

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/suites"
)

// chosen are the trials and subjects that an environment selects.
func chosen(g *WithT, environment map[string]string) (trials, subjects []string) {
	c, err := ParseConfig(environment)
	g.Expect(err).NotTo(HaveOccurred())
	for _, s := range c.selected {
		if !slices.Contains(trials, s.Trial.ID) {
			trials = append(trials, s.Trial.ID)
		}
		if !slices.Contains(subjects, s.Subject) {
			subjects = append(subjects, s.Subject)
		}
	}
	g.Expect(c.selected).To(HaveLen(len(trials)*len(subjects)), "all trials on all subjects")
	return trials, subjects
}

func TestSelection(t *testing.T) {
	g := NewWithT(t)
	var quick []string
	for _, one := range suites.Catalogue() {
		if session.Quick.Holds(one) {
			quick = append(quick, one.ID)
		}
	}
	trials, subjects := chosen(g, map[string]string{})
	g.Expect(trials).To(Equal(quick))
	g.Expect(subjects).To(Equal([]string{"v1.36.3"}))

	trials, _ = chosen(g, map[string]string{"PROFILE": "full"})
	g.Expect(len(trials)).To(Equal(len(suites.Catalogue())))

	trials, _ = chosen(g, map[string]string{"FOCUS": "termination/grace-[12]$"})
	g.Expect(trials).To(ConsistOf("termination/grace-1", "termination/grace-2"))
	trials, _ = chosen(g, map[string]string{"FOCUS": "termination/grace-[12]$", "SKIP": "grace-1"})
	g.Expect(trials).To(Equal([]string{"termination/grace-2"}))
	trials, _ = chosen(g, map[string]string{"LABELS": "eviction && !disruptive", "PROFILE": "full"})
	g.Expect(trials).NotTo(BeEmpty())
	g.Expect(trials).To(HaveEach(HavePrefix("eviction/")))

	// Ginkgo matches the suite's name, the subject and the trial as one text.
	trials, subjects = chosen(g,
		map[string]string{"FOCUS": `^podclock v1\.35\.4 termination/grace-1$`, "SUBJECTS": "v1.36.3,v1.35.4"})
	g.Expect(trials).To(Equal([]string{"termination/grace-1"}))
	g.Expect(subjects).To(Equal([]string{"v1.35.4"}))
}

func TestCopies(t *testing.T) {
	g := NewWithT(t)
	_, subjects := chosen(g, map[string]string{"COPIES": "3", "FOCUS": "termination/grace-1$"})
	g.Expect(subjects).To(Equal([]string{"v1.36.3", "v1.36.3#2", "v1.36.3#3"}))
	_, subjects = chosen(
		g,
		map[string]string{
			"COPIES":   "2",
			"LANE":     "virtual",
			"SUBJECTS": "v1.36.3,v1.35.4",
			"FOCUS":    "termination/grace-1$",
		},
	)
	g.Expect(subjects).
		To(Equal([]string{"virtual:v1.36.3", "virtual:v1.36.3#2", "virtual:v1.35.4", "virtual:v1.35.4#2"}))
}

func TestConfigNamesTheVariable(t *testing.T) {
	for want, environment := range map[string]map[string]string{
		"N=0":                          {"N": "0"},
		"N and COPIES are":             {"N": "many"},
		"COPIES=-1":                    {"COPIES": "-1"},
		"FOCUS=(":                      {"FOCUS": "("},
		"SKIP=[":                       {"SKIP": "["},
		"LABELS=&&":                    {"LABELS": "&&"},
		`FOCUS="nothing"`:              {"FOCUS": "nothing"},
		"SUBJECTS=v9.9.9":              {"SUBJECTS": "v9.9.9"},
		`occurs twice`:                 {"SUBJECTS": "v1.36.3,v1.36.3#2", "COPIES": "2"},
		"PROFILE=slow: it is quick or": {"PROFILE": "slow"},
	} {
		_, err := ParseConfig(environment)
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring(want)), "%v", environment)
	}
}
