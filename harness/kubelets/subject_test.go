package kubelets

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/mod/semver"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/rules/formula"
)

func TestParseSubject(t *testing.T) {
	g := NewWithT(t)
	clean, err := ParseSubject("v1.37.2")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(clean).To(Equal(Subject{Version: "v1.37.2"}))
	g.Expect(clean.Released()).To(BeTrue())
	g.Expect(clean.Slug()).To(Equal("v1-37-2"))

	mutant, err := ParseSubject("v1.37.2+resultrun-one")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(mutant).To(Equal(Subject{Version: "v1.37.2", Mutation: "resultrun-one"}))
	g.Expect(mutant.Released()).To(BeFalse())
	g.Expect(mutant.Slug()).To(Equal("v1-37-2-resultrun-one"))
	g.Expect(mutant.Reports()).To(Equal("v1.37.2+resultrun-one"))
}

func TestParseSubjectOfTheVirtualLane(t *testing.T) {
	g := NewWithT(t)
	clean, err := ParseSubject("virtual:v1.37.2")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(clean).To(Equal(Subject{Virtual: true, Version: "v1.37.2"}))
	g.Expect(clean.Lane()).To(Equal(run.VirtualLane))
	g.Expect(clean.Released()).To(BeTrue())
	g.Expect(clean.Own()).To(BeFalse())
	g.Expect(clean.Slug()).To(Equal("virtual-v1-37-2"))
	g.Expect(clean.Reports()).To(Equal("v1.37.2"))

	mutant, err := ParseSubject("virtual:v1.35.4+resultrun-one")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(mutant).To(Equal(Subject{Virtual: true, Version: "v1.35.4", Mutation: "resultrun-one"}))
	g.Expect(mutant.Released()).To(BeFalse())
	g.Expect(mutant.String()).To(Equal("virtual:v1.35.4+resultrun-one"))
	g.Expect(mutant.Slug()).To(Equal("virtual-v1-35-4-resultrun-one"))
	g.Expect(mutant.Reports()).To(Equal("v1.35.4+resultrun-one"))

	g.Expect(Subject{Version: "v1.37.2"}.Lane()).To(Equal(run.NodeLane))
	g.Expect(ParseSubjects(run.NodeLane, "virtual:v1.37.2, v1.37.2")).To(HaveLen(2), "the lanes differ")
}

// If the mutation is in a cluster's control plane, its kubelets are as released. A virtual node is one program.
func TestSubjectsWhoseControlPlaneIsMutated(t *testing.T) {
	for written, wanted := range map[string]struct {
		component mutation.Component
		reports   string
	}{
		"v1.37.2":                            {mutation.Kubelet, "v1.37.2"},
		"v1.37.2+resultrun-one":              {mutation.Kubelet, "v1.37.2+resultrun-one"},
		"v1.37.2+later-delete-added-on":      {mutation.APIServer, "v1.37.2"},
		"v1.37.2+toleration-ignored":         {mutation.ControllerManager, "v1.37.2"},
		"virtual:v1.35.4+toleration-ignored": {mutation.ControllerManager, "v1.35.4+toleration-ignored"},
	} {
		g := NewWithT(t)
		s, err := ParseSubject(written)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(s.String()).To(Equal(written))
		g.Expect(s.Component()).To(Equal(wanted.component), written)
		g.Expect(s.Reports()).To(Equal(wanted.reports), written)
	}
}

func TestEveryVersionWithEveryMutationOfItIsASubject(t *testing.T) {
	g := NewWithT(t)
	g.Expect(formula.Versions()).To(Equal([]string{"v1.37.2", "v1.36.3", "v1.35.4", "v1.34.4", "v1.23.1"}))
	g.Expect(VirtualVersions()).To(Equal([]string{"v1.37.2", "v1.36.3", "v1.35.4", "v1.34.4"}))
	slugs := map[string]bool{}
	count := 0
	for _, version := range formula.Versions() {
		names := []string{""}
		for _, m := range mutation.All() {
			if m.Versions.Contains(version) && (m.Component == mutation.Kubelet || version == formula.Versions()[0]) {
				names = append(names, m.Name)
			}
		}
		for _, name := range names {
			s := Subject{Version: version, Mutation: name}
			g.Expect(ParseSubject(s.String())).To(Equal(s))
			g.Expect(s.Own()).To(BeFalse())
			g.Expect(validation.IsDNS1123Label(s.Slug())).To(BeEmpty())
			slugs[s.Slug()] = true
			count++
			if !slices.Contains(VirtualVersions(), version) {
				continue
			}
			if m, _ := mutation.Find(name); m.NodeOnly() {
				continue
			}
			s.Virtual = true
			g.Expect(validation.IsDNS1123Label(s.Slug())).To(BeEmpty())
			g.Expect(ParseSubject(s.String())).To(Equal(s))
			slugs[s.Slug()] = true
			count++
		}
	}
	g.Expect(slugs).To(HaveLen(count))
}

func TestABranchIsItsNewestPatch(t *testing.T) {
	for written, wanted := range map[string]Subject{
		"v1.27":                 {Version: "v1.27.16"},
		"v1.27.3":               {Version: "v1.27.3"},
		"v1.27.99":              {Version: "v1.27.99"}, // it may be newer than this table
		"virtual:v1.36":         {Virtual: true, Version: "v1.36.5"},
		"virtual:v1.30":         {Virtual: true, Version: "v1.30.14"},
		"v1.36+resultrun-one#2": {Version: "v1.36.5", Mutation: "resultrun-one", Copy: 2},
	} {
		NewWithT(t).Expect(ParseSubject(written)).To(Equal(wanted), written)
	}
}

// The branch after the newest known one has pre-releases only.
func TestPreReleases(t *testing.T) {
	for _, written := range []string{
		"v1.38.0-alpha.2", "v1.38.0-beta.0", "v1.37.0-rc.1", "v1.24.0-rc.1", "virtual:v1.38.0-beta.0",
		"virtual:v1.30.0-alpha.1", "virtual:v1.38.0-beta.0+resultrun-one",
	} {
		g := NewWithT(t)
		s, err := ParseSubject(written)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(s.String()).To(Equal(written))
		g.Expect(s.Validate()).To(Succeed())
	}
}

func TestPatchesAreTheNewestOfTheirBranches(t *testing.T) {
	g := NewWithT(t)
	g.Expect(formula.Patches()[0]).To(Equal(formula.Versions()[0]), "the newest one is the control plane's")
	for _, version := range append(formula.Versions(), VirtualVersions()...) {
		g.Expect(semver.Compare(version, formula.NewestPatch(version))).To(BeNumerically("<=", 0), version)
	}
	for i, patch := range formula.Patches() {
		g.Expect(release(patch)).To(Equal(patch))
		g.Expect(semver.MajorMinor(patch)).To(Equal(fmt.Sprintf("v1.%d", 37-i)), "no branch is missing")
	}
	g.Expect(VirtualPatches()).To(Equal(formula.Patches()[:len(VirtualPatches())]))
}

func TestParseSubjectsKeepsTheOrder(t *testing.T) {
	g := NewWithT(t)
	g.Expect(ParseSubjects(run.NodeLane, "v1.37.2+resultrun-one, v1.37.2")).To(Equal([]Subject{
		{Version: "v1.37.2", Mutation: "resultrun-one"},
		{Version: "v1.37.2"},
	}))
}

func TestParseSubjectsNamesWhatIsWrong(t *testing.T) {
	for input, wanted := range map[string][]string{
		"":                            {"empty subject", "v1.37.2", "resultrun-one"},
		"v1.37.2,,v1.37.2":            {"empty subject"},
		"v1.37.2,":                    {"empty subject"},
		"v9.9.9":                      {`no kubelet "v9.9.9"`, "a branch from v1.23 to v1.37, or a release such as v1.37.2"},
		"v1.22.17":                    {`no kubelet "v1.22.17"`, "a branch from v1.23 to v1.37"},
		"v1.38":                       {`no kubelet "v1.38"`, "a branch from v1.23 to v1.37"},
		"1.30.2":                      {`no kubelet "1.30.2"`, "the branch v1.30 or", "knows is v1.30.14"},
		"v1.30.x":                     {`no kubelet "v1.30.x"`, "knows is v1.30.14"},
		"v1.30.0-gke.1":               {`no kubelet "v1.30.0-gke.1"`, "knows is v1.30.14"},
		"v1.39.0-alpha.1":             {`no kubelet "v1.39.0-alpha.1"`, "a branch from v1.23 to v1.37"},
		"virtual:v1.29.0-rc.0":        {`no virtual node "v1.29.0-rc.0"`, "a branch from v1.30 to v1.37"},
		"v1.30, v1.30.14":             {`"v1.30" and "v1.30.14" are the same kubelet`},
		"+resultrun-one":              {`no kubelet ""`, `"+resultrun-one"`},
		"v1.37.2+":                    {`no mutation ""`, "resultrun-one, resultrun-kept"},
		"v1.37.2+nonsense":            {`no mutation "nonsense"`, "resultrun-one, resultrun-kept"},
		"v1.37.2+resultrun-one+x":     {`no mutation "resultrun-one+x"`},
		"v1.37.2, v1.37.2":            {`"v1.37.2" occurs twice`},
		"v1.23.1+hook-not-subtracted": {"mutation hook-not-subtracted is for kubelets from v1.28.0"},
		"v1.23.1+no-minimum-grace":    {"mutation no-minimum-grace is for kubelets from v1.28.0"},
		"v1.35.4+toleration-ignored": {
			"changes the kube-controller-manager", "the one of v1.37.2",
			"write v1.37.2+toleration-ignored, or virtual:v1.35.4+toleration-ignored",
		},
		"virtual:":    {`no virtual node ""`, "a branch from v1.30 to v1.37, or a release such as v1.37.2"},
		"virtual:all": {`no virtual node "all"`, "a branch from v1.30 to v1.37"},
		"virtual:v1.23.1": {
			`no virtual node "v1.23.1"`, "a branch from v1.30 to v1.37",
		},
		"virtual:/usr/bin/kubelet":        {"can't run in virtual time", "source", "a branch from v1.30 to v1.37"},
		"virtual:v1.37.2@./kubelet":       {"can't run in virtual time"},
		"virtual:v1.37.2+nonsense":        {`no mutation "nonsense"`},
		"virtual:v1.37.2,virtual:v1.37.2": {`"virtual:v1.37.2" occurs twice`},
		"vritual:v1.37.2": {
			`subject "vritual:v1.37.2": the only prefix of a version is virtual:, for the virtual lane`,
		},
		"virtual:virtual:v1.37.2":         {"the only prefix of a version is virtual:"},
		"v1.37.2\nv1.37.2+resultrun-kept": {`no kubelet "v1.37.2\nv1.37.2"`},
	} {
		t.Run(input, func(t *testing.T) {
			g := NewWithT(t)
			subjects, err := ParseSubjects(run.NodeLane, input)
			g.Expect(err).To(HaveOccurred(), "%v", subjects)
			for _, w := range wanted {
				g.Expect(err).To(MatchError(ContainSubstring(w)))
			}
			g.Expect(strings.Count(err.Error(), "\n")).To(BeZero(), "one line")
		})
	}
}

// In the virtual lane every subject is virtual, with or without the prefix.
func TestParseSubjectsOfALane(t *testing.T) {
	g := NewWithT(t)
	g.Expect(ParseSubjects(run.VirtualLane, "v1.37.2, virtual:v1.35.4 ,v1.34.4+resultrun-one")).To(Equal([]Subject{
		{
			Virtual: true,
			Version: "v1.37.2",
		},
		{Virtual: true, Version: "v1.35.4"},
		{Virtual: true, Version: "v1.34.4", Mutation: "resultrun-one"},
	}))
	g.Expect(ParseSubjects(run.NodeLane, "v1.37.2,virtual:v1.37.2")).
		To(Equal([]Subject{{Version: "v1.37.2"}, {Virtual: true, Version: "v1.37.2"}}))

	for input, wanted := range map[string]string{
		"./kubelet":         `subject "./kubelet": a binary can't run in virtual time`,
		"virtual:./kubelet": `subject "virtual:./kubelet": a binary can't run in virtual time`,
		"v1.23.1":           `subject "v1.23.1": there is no virtual node "v1.23.1"`,
		"v9.9.9":            `subject "v9.9.9": there is no virtual node "v9.9.9"`,
		"v1.37.2+nonsense":  `subject "v1.37.2+nonsense": there is no mutation "nonsense"`,
		"vritual:v1.37.2":   `subject "vritual:v1.37.2": the only prefix of a version is virtual:`,
		"v1.37.2,": "an empty subject: write a version (v1.37.2, v1.36.3, v1.35.4, v1.34.4) or a " +
			"version+mutation",
		"v1.37.2,v1.37.2":         `subject "v1.37.2" occurs twice`,
		"v1.37.2,virtual:v1.37.2": `subjects "v1.37.2" and "virtual:v1.37.2" are the same kubelet: remove one`,
	} {
		_, err := ParseSubjects(run.VirtualLane, input)
		g.Expect(err).To(MatchError(HavePrefix(wanted)), input)
	}
}

// The error refers to the node lane only if that lane can have the subject.
func TestWhatOnlyARealNodeCanHave(t *testing.T) {
	for input, nodeOnly := range map[string]bool{
		"./kubelet": true, "v1.37.2@./kubelet": true, "v1.23.1": true, "v1.23.1+resultrun-one": true,
		"v9.9.9": false, "all": false, "": false, "v1.37.2+nonsense": false, "vritual:v1.37.2": false,
	} {
		g := NewWithT(t)
		_, err := ParseSubjects(run.VirtualLane, input)
		g.Expect(err).To(HaveOccurred(), input)
		g.Expect(errors.Is(err, ErrNodeOnly)).To(Equal(nodeOnly), "%s: %v", input, err)
	}
	_, err := ParseSubjects(run.NodeLane, "virtual:v1.23.1")
	NewWithT(t).Expect(err).To(MatchError(HaveSuffix("only a real node can have it: leave out virtual:")))
}
