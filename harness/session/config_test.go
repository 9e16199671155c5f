package session

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/spf13/pflag"

	"github.com/podclock/podclock/harness/host/option"
	"github.com/podclock/podclock/harness/measure/trial"
)

// kindBase is the least kind configuration.
const kindBase = "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n"

// parsed reads a configuration from variables, as the program does.
func parsed(environment map[string]string) (Config, error) {
	c := Config{KindBase: []byte(kindBase)}
	set := pflag.NewFlagSet("session", pflag.ContinueOnError)
	c.AddFlags(set)
	c.AddSelectionFlags(set)
	err := option.ReadEnvironment(set,
		func(name string) (string, bool) { return environment[name], environment[name] != "" })
	if err != nil {
		return Config{}, err
	}
	resolved, err := c.Resolve()
	return resolved, option.AsGiven(set, err)
}

// root is the project's root, seen from this package.
func root(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../..")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return path
}

func TestConfigDefaults(t *testing.T) {
	g := NewWithT(t)
	for name, environment := range map[string]map[string]string{
		"nothing set":     {},
		"all of it empty": {"SUBJECTS": "", "NODE_IMAGE": "", "CLUSTER": "", "KIND_CONFIG": "", "KEEP": "", "OUT": ""},
		"a foreign one":   {"HOME": "/nowhere"},
	} {
		c, err := parsed(environment)
		g.Expect(err).NotTo(HaveOccurred(), name)
		g.Expect(c.SubjectNames()).To(Equal([]string{"v1.37.2"}), name)
		g.Expect(c.Cluster).To(Equal("podclock"), name)
		g.Expect(c.NodeImage).To(BeEmpty(), name)
		g.Expect(c.Keep).To(BeFalse(), name)
		g.Expect(c.KindConfig).To(BeEmpty(), name)
		g.Expect(c.Out).To(Equal(filepath.Join(root(t), "out")), name)
		g.Expect(c.Settings()).
			To(Equal(map[string]string{"SUBJECTS": "v1.37.2", "CLUSTER": "podclock"}), name)
	}
}

func TestConfigTakesWhatIsSet(t *testing.T) {
	g := NewWithT(t)
	out := t.TempDir()
	c, err := parsed(map[string]string{
		"SUBJECTS": "v1.37.2, v1.37.2+resultrun-one", "NODE_IMAGE": "build", "CLUSTER": "mine", "KEEP": "1", "OUT": out,
		"KIND_CONFIG": "kind-config.yaml",
	})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.SubjectNames()).To(Equal([]string{"v1.37.2", "v1.37.2+resultrun-one"}))
	g.Expect(c.Out).To(Equal(out), "an absolute path stays as it is")
	o := c.clusterOptions(nil)
	g.Expect(o.Name).To(Equal("mine"))
	g.Expect(o.Keep).To(BeTrue())
	g.Expect(o.Subjects).
		To(Equal([]string{"v1-37-2", "v1-37-2-resultrun-one"}), "one worker per subject, in their order")
	g.Expect(c.Settings()).To(Equal(map[string]string{
		"SUBJECTS":    "v1.37.2, v1.37.2+resultrun-one",
		"NODE_IMAGE":  "build",
		"CLUSTER":     "mine",
		"KIND_CONFIG": "kind-config.yaml",
		"KEEP":        "1",
	}))
}

// A cluster whose control plane is mutated has a worker with that name, so no kept cluster is taken for it,
// and it for none.
func TestConfigOfAMutatedControlPlane(t *testing.T) {
	g := NewWithT(t)
	c, err := parsed(
		map[string]string{"SUBJECTS": "v1.37.2+toleration-ignored, v1.37.2+toleration-ignored#2, virtual:v1.37.2"},
	)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.clusterOptions(nil).Subjects).
		To(Equal([]string{"v1-37-2-toleration-ignored", "v1-37-2-toleration-ignored-copy-2"}))
}

// The run has a subject in each lane. The cluster knows only its own.
// With a pool of one worker, the mutants of one component take turns. Those of another would stay beside them.
func TestConfigOfControlPlanesInTurn(t *testing.T) {
	g := NewWithT(t)
	c, err := parsed(nil)
	g.Expect(err).NotTo(HaveOccurred())
	c.Subjects, c.Pool = "v1.37.2+toleration-ignored,v1.37.2+toleration-longest", 1
	resolved, err := c.Resolve()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(resolved.settled()).To(BeEmpty())
	for _, c := range []Config{
		{Subjects: c.Subjects}, {Subjects: c.Subjects, Pool: 2}, {Subjects: c.Subjects + ",v1.37.2", Pool: 1},
		{Subjects: c.Subjects + ",v1.37.2+default-grace-ten", Pool: 1},
	} {
		_, err := c.Resolve()
		g.Expect(err).To(MatchError(ContainSubstring("of the whole cluster")))
	}
}

// A kubelet must not be newer than its API server.
func TestConfigOfAControlPlaneNewerThanTheImage(t *testing.T) {
	for subjects, want := range map[string]string{
		"v1.37.2,v1.34.4": "", "virtual:v1.38.0-beta.0": "", "v1.37.0-rc.1": "",
		"v1.37.2,v1.38.0-alpha.3,v1.38.0-beta.0,v1.38.0-beta.0#2": "v1.38.0-beta.0",
	} {
		g := NewWithT(t)
		c, err := parsed(map[string]string{"SUBJECTS": subjects})
		g.Expect(err).NotTo(HaveOccurred())
		newer, found := c.newerThanImage()
		g.Expect(newer.Version).To(Equal(want), subjects)
		g.Expect(found).To(Equal(want != ""))
	}
}

func TestConfigOfBothLanes(t *testing.T) {
	g := NewWithT(t)
	c, err := parsed(map[string]string{"SUBJECTS": "v1.37.2,virtual:v1.37.2,virtual:v1.35.4"})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.SubjectNames()).To(Equal([]string{"v1.37.2", "virtual:v1.37.2", "virtual:v1.35.4"}))
	g.Expect(c.clusterOptions(nil).Subjects).To(Equal([]string{"v1-37-2"}))
	g.Expect(c.Profile).To(Equal(trial.Quick))
	g.Expect(c.Settings()).To(HaveKeyWithValue("SUBJECTS", "v1.37.2,virtual:v1.37.2,virtual:v1.35.4"))
	g.Expect(c.Settings()).To(HaveKey("CLUSTER"))
}

// LANE=virtual, as in `make rehearse`, changes the defaults and the lane of subjects that name none.
func TestConfigOfTheVirtualLane(t *testing.T) {
	for name, tt := range map[string]struct {
		environment map[string]string
		subjects    []string
		profile     trial.Profile
	}{
		"nothing else set": {nil, []string{"virtual:v1.37.2", "virtual:v1.36.3", "virtual:v1.35.4", "virtual:v1.34.4"}, trial.Full},
		"all of it empty": {map[string]string{"SUBJECTS": "", "PROFILE": ""},
			[]string{"virtual:v1.37.2", "virtual:v1.36.3", "virtual:v1.35.4", "virtual:v1.34.4"}, trial.Full},
		"a bare version": {map[string]string{"SUBJECTS": "v1.35.4"}, []string{"virtual:v1.35.4"}, trial.Full},
		"some of each": {map[string]string{"SUBJECTS": "v1.35.4, virtual:v1.37.2 ,v1.37.2+resultrun-one",
			"PROFILE": "quick"},
			[]string{"virtual:v1.35.4", "virtual:v1.37.2", "virtual:v1.37.2+resultrun-one"}, trial.Quick},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			// A run without a node lane needs no kind configuration.
			environment := map[string]string{"LANE": "virtual", "KIND_CONFIG": "no-such.yaml"}
			maps.Copy(environment, tt.environment)
			c, err := parsed(environment)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(c.SubjectNames()).To(Equal(tt.subjects))
			g.Expect(c.Profile).To(Equal(tt.profile))
			g.Expect(c.Settings()).NotTo(Or(HaveKey("CLUSTER"), HaveKey("KIND_CONFIG")))
			g.Expect(c.Settings()["SUBJECTS"]).
				To(Equal(strings.Join(tt.subjects, ",")), "so that it means the same without LANE")
		})
	}
}

// Without a subject in the node lane, flags of a cluster are not checked, but reported.
func TestConfigWithoutACluster(t *testing.T) {
	for name, tt := range map[string]struct {
		environment map[string]string
		idle        []string
	}{
		"nothing of a cluster": {map[string]string{"SUBJECTS": "virtual:v1.37.2", "PROFILE": "full", "CLUSTER": "",
			"KEEP": "0"}, nil},
		"all of it, and wrong": {
			map[string]string{"SUBJECTS": "virtual:v1.37.2", "CLUSTER": "My_Cluster", "KIND_CONFIG": "no-such.yaml",
				"NODE_IMAGE": "what is this?", "KEEP": "1"},
			[]string{"--cluster", "--kind-config", "--node-image", "--keep"},
		},
		"in a rehearsal": {map[string]string{"LANE": "virtual", "KEEP": "true"}, []string{"--keep"}},
		"with a real node": {map[string]string{"SUBJECTS": "virtual:v1.37.2,v1.37.2", "KEEP": "1", "CLUSTER": "mine"},
			nil},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			tt.environment["OUT"] = t.TempDir()
			c, err := parsed(tt.environment)
			g.Expect(err).NotTo(HaveOccurred())
			var log strings.Builder
			_, err = New(c, nil, Program{Log: &log})
			g.Expect(err).NotTo(HaveOccurred())
			if tt.idle == nil {
				g.Expect(log.String()).To(BeEmpty())
				return
			}
			g.Expect(log.String()).
				To(Equal("no subject is in the node lane, so there is no cluster: " + strings.Join(tt.idle, ", ") +
					" has no effect\n"))
			g.Expect(c.Settings()).
				NotTo(Or(HaveKey("CLUSTER"), HaveKey("KIND_CONFIG"), HaveKey("NODE_IMAGE"), HaveKey("KEEP")))
		})
	}
}

// An error about a subject quotes the user, and names lanes only if another one would help.
func TestConfigQuotesSubjectsAsTheyWereWritten(t *testing.T) {
	const inRehearsal, alone = "only a real node can have it: make e2e has real nodes, for subjects without virtual:",
		"only a real node can have it: leave out virtual:"
	for name, tt := range map[string]struct{ lane, subjects, begins, ends string }{
		"a binary in a rehearsal": {"virtual", "./kubelet",
			`SUBJECTS=./kubelet: subject "./kubelet": a binary can't`, inRehearsal},
		"a virtual binary": {"", "virtual:./kubelet",
			`SUBJECTS=virtual:./kubelet: subject "virtual:./kubelet": a binary can't`, alone},
		"a version in a rehearsal": {"virtual", "v1.37.2, v1.23.1",
			`SUBJECTS=v1.37.2, v1.23.1: subject "v1.23.1": there is no virtual node`, inRehearsal},
		"a virtual version": {"", "virtual:v1.23.1",
			`SUBJECTS=virtual:v1.23.1: subject "virtual:v1.23.1": there is no virtual node`, alone},
		"no version in either lane": {"virtual", "v9.9.9",
			`SUBJECTS=v9.9.9: subject "v9.9.9": there is no virtual node`,
			"or a release such as v1.37.2"},
		"no mutation in either": {"", "virtual:v1.37.2+x",
			`SUBJECTS=virtual:v1.37.2+x: subject "virtual:v1.37.2+x": there is no mutation "x"; the mutations are`, ""},
		"one spelled in two ways": {"virtual", "v1.37.2,virtual:v1.37.2",
			`SUBJECTS=v1.37.2,virtual:v1.37.2: subjects "v1.37.2" and "virtual:v1.37.2"`,
			"remove one, or write a copy of it, such as virtual:v1.37.2#2"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parsed(map[string]string{"LANE": tt.lane, "SUBJECTS": tt.subjects})
			NewWithT(t).Expect(err).To(MatchError(And(HavePrefix(tt.begins), HaveSuffix(tt.ends))))
		})
	}
}

// A mistake costs one line, which names the variable and what to write instead.
func TestConfigRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a-file")
	if err := os.WriteFile(file, []byte("kind: Pod\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		variable, value string
		says            []string
	}{
		"an unknown version": {"SUBJECTS", "v9.9.9",
			[]string{"SUBJECTS", `"v9.9.9"`, "a release such as", "v1.37.2"}},
		"an unknown mutation": {"SUBJECTS", "v1.37.2+nonsense",
			[]string{"SUBJECTS", `"nonsense"`, "the mutations are", "resultrun-one"}},
		"an unknown lane": {"LANE", "node-ish", []string{"LANE=node-ish", "node or virtual"}},
		"a lane misspelled": {"SUBJECTS", "vritual:v1.37.2",
			[]string{`"vritual:v1.37.2"`, "the only prefix of a version is virtual:, for the virtual lane"}},
		"no virtual node": {"SUBJECTS", "virtual:v1.23.1",
			[]string{`"virtual:v1.23.1"`, "a branch from v1.", "leave out virtual:"}},
		"a virtual binary": {"SUBJECTS", "virtual:./kubelet",
			[]string{`"virtual:./kubelet"`, "binary", "leave out virtual:"}},
		"a virtual one twice": {"SUBJECTS", "virtual:v1.37.2,virtual:v1.37.2", []string{"twice"}},
		"a subject twice":     {"SUBJECTS", "v1.37.2,v1.37.2", []string{"SUBJECTS", "twice", "remove one"}},
		"an empty subject": {"SUBJECTS", "v1.37.2,",
			[]string{"SUBJECTS", "an empty subject", "write a version"}},
		"an impossible cluster":   {"CLUSTER", "My_Cluster", []string{"CLUSTER=My_Cluster", "lower case"}},
		"a cluster name too long": {"CLUSTER", strings.Repeat("a", 60), []string{"CLUSTER", "at most 49"}},
		"no image's reference": {"NODE_IMAGE", "what is this?",
			[]string{"NODE_IMAGE=what is this?", "build", "published", "reference"}},
		"a control plane shared": {"SUBJECTS", "v1.37.2+toleration-ignored, v1.37.2",
			[]string{"v1.37.2+toleration-ignored changes the kube-controller-manager", "which v1.37.2 would share",
				"a run of its own"}},
		"two control planes": {"SUBJECTS", "v1.37.2+toleration-ignored,v1.37.2+later-delete-added-on",
			[]string{"of the whole cluster", "a run of its own"}},
		"an old control plane": {"SUBJECTS", "v1.35.4+toleration-ignored",
			[]string{"every cluster has the one of v1.37.2", "virtual:v1.35.4+toleration-ignored"}},
		"no boolean": {"KEEP", "maybe", []string{"KEEP=maybe, which stands for --keep: "}},
		"no kind configuration": {"KIND_CONFIG", "no-such.yaml",
			[]string{"kind configuration", "no-such.yaml", "readable file"}},
		"another configuration": {"KIND_CONFIG", file, []string{"kind configuration " + file, "set kind: Cluster"}},
		"a file for a folder":   {"OUT", file, []string{"OUT=" + file, "name a folder"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			_, err := parsed(map[string]string{c.variable: c.value})
			g.Expect(err).To(HaveOccurred())
			g.Expect(err.Error()).NotTo(ContainSubstring("\n"))
			for _, s := range c.says {
				g.Expect(err.Error()).To(ContainSubstring(s))
			}
		})
	}
}

func TestPathsBelongToTheProjectFromAnyFolderInIt(t *testing.T) {
	g := NewWithT(t)
	project := root(t)
	t.Chdir(filepath.Join(project, "harness", "node", "lab"))
	c, err := parsed(map[string]string{"OUT": "elsewhere"})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Out).To(Equal(filepath.Join(project, "elsewhere")))

	// Another module's go.mod on the way up is not the project's root.
	outside := t.TempDir()
	t.Chdir(outside)
	g.Expect(os.WriteFile(filepath.Join(outside, "go.mod"), []byte("module example.com/other\n"), 0o600)).To(Succeed())
	c, err = parsed(map[string]string{"OUT": "elsewhere"})
	g.Expect(err).NotTo(HaveOccurred(), "the node image has the newest kubelet")
	g.Expect(c.Out).To(Equal(filepath.Join(outside, "elsewhere")))
}

func TestOnlyACheckoutCompilesSubjects(t *testing.T) {
	t.Chdir(t.TempDir())
	for subjects, compiled := range map[string]string{
		"v1.37.2": "", "v1.37.2,v1.36.3": "v1.36.3", "v1.37.2+resultrun-one": "v1.37.2+resultrun-one",
		"virtual:v1.37.2": "virtual:v1.37.2", "v1.37.2+toleration-longest": "v1.37.2+toleration-longest",
	} {
		g := NewWithT(t)
		_, err := parsed(map[string]string{"SUBJECTS": subjects})
		if compiled == "" {
			g.Expect(err).NotTo(HaveOccurred(), subjects)
			continue
		}
		needs := ContainSubstring(compiled + ": it must be compiled, which needs Go and a checkout")
		g.Expect(err).To(MatchError(And(needs, ContainSubstring("run it from a checkout"))), subjects)
	}
	t.Setenv("PATH", "")
	_, err := parsed(map[string]string{"SUBJECTS": "virtual:v1.37.2"})
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("executable file not found")))
}
