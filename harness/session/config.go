// Package session plays one run: it sets up the lanes that the subjects need, plays the selected trials, and returns
// the run. It must not know how a run is reported.
package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/mod/semver"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/podclock/podclock/harness/host/kubeconfig"
	"github.com/podclock/podclock/harness/host/option"
	"github.com/podclock/podclock/harness/host/program"
	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/builder"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/node/cluster"
	"github.com/podclock/podclock/harness/node/external"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/images/node"
)

// Config describes a run. Flags bind its fields, [Config.Resolve] checks them and sets defaults.
type Config struct {
	// Subjects are the kubelets under test, separated by commas: versions, versions with a mutation
	// (v1.36.3+resultrun-one), or paths of binaries. "virtual:" before a version selects the virtual lane,
	// "@containerd-1.7" behind one another container runtime.
	Subjects string
	// Lane is the lane of subjects that name none.
	Lane    run.Lane
	Profile trial.Profile
	// NodeImage is a reference, "build" or "published". Default: an image that exists, else the published one if a
	// registry is in reach, else a build.
	NodeImage string
	Cluster   string
	// KindBase is the kind configuration that a cluster is based on, unless KindConfig names a file.
	KindBase []byte
	// KindConfig and Out, the folder of all runs, are relative to the project's root.
	KindConfig string
	Keep       bool
	Out        string
	// Seed decides the random numbers of the virtual lane, such as the kubelet's jitter.
	Seed uint64
	// Focus, Skip and Labels select trials, see [Config.Select].
	Focus, Skip, Labels string
	// Within is how long the selected trials may take, 0 without a bound. Kills is what they are chosen by.
	Within time.Duration
	Kills  func() (Kills, error)

	// Promises is the manifest whose trials run, nil for those of the catalogue.
	Promises *run.Promises

	// External is a cluster that podclock did not make, nil for one that it boots. Its nodes are the subjects.
	External *external.Cluster
	// Images is the place in a registry from which an external cluster pulls victim and recorder, or the references of
	// their images, separated by commas. Empty: its nodes have them (podclock images save).
	Images string
	// PullSecret is a docker configuration with the credentials of Images' registry, nil for none.
	PullSecret []byte
	// Continue plays only what the newest run below Out did not judge, and adds it to that run.
	Continue bool
	// Folder is the folder of the run that continues. If it is empty, Continue takes the newest one.
	Folder string

	// Workers bounds the workers of a cluster. 0 is mostWorkers, or fewer on a host that cannot have so many.
	Workers int
	// Pool is the number of workers on which mutants take turns. With 0, each has its own. With 1, they may be of one
	// component of the control plane.
	Pool int
	// Built are programs that need no build, by subject.
	Built map[string]builder.Binary

	subjects []kubelets.Subject
	// slower is how many times as long starts take here as usual, 0 if that is unknown.
	slower float64
	root   string
	// idle are given flags without effect, because there is no cluster.
	idle []string
}

// Kills are the names of the mutants that each trial is recorded to kill, by the trial's ID.
type Kills map[string][]string

// firstSeed is the default of Seed.
const firstSeed = 1

// AddFlags adds a flag and its environment variable for each field that describes a run.
func (c *Config) AddFlags(set *pflag.FlagSet) {
	set.StringVar(&c.Subjects, "subjects", "",
		"the kubelets under test, separated by commas: versions, version+mutation, "+
			"or paths of binaries; virtual: before a version selects the virtual lane, @RUNTIME behind one another "+
			"container runtime, +GATE=true or +GATE=false a feature gate (default "+formula.Versions()[0]+
			", or all versions of the virtual lane with --lane=virtual)")
	set.Var(option.OneOf(&c.Lane, run.NodeLane, run.VirtualLane), "lane",
		"the lane of subjects that name none (default node)")
	set.Var(option.OneOf(&c.Profile, trial.Quick, trial.Full), "profile",
		"quick: some 130 trials of at most 3m; full: all trials (default quick, in the virtual lane full)")
	set.BoolVar(&c.Keep, "keep", false, "leave the cluster for the next run; podclock down deletes it")
	option.Variables(set, "subjects", "lane", "profile", "keep")
	c.AddVirtualFlags(set)
	c.AddClusterFlags(set)
}

// AddVirtualFlags adds only the flags that a run of given virtual subjects needs, with their variables. AddFlags
// includes them.
func (c *Config) AddVirtualFlags(set *pflag.FlagSet) {
	set.StringVar(&c.Out, "out", "", "the folder of all runs, relative to the project's root (default out)")
	set.Uint64Var(&c.Seed, "seed", firstSeed, "what the random numbers of virtual nodes depend on")
	option.Variables(set, "out", "seed")
}

// AddClusterFlags adds only the flags of the kind cluster, with their variables. AddFlags includes them.
func (c *Config) AddClusterFlags(set *pflag.FlagSet) {
	set.StringVar(&c.Cluster, "cluster", "", "the kind cluster's name (default podclock)")
	set.StringVar(&c.NodeImage, "node-image", "",
		"the nodes' image: build, published, or a reference (default an image that "+
			"exists, else the published one if a registry is in reach, else build)")
	set.StringVar(&c.KindConfig, "kind-config", "",
		"the base kind configuration, relative to the project's root (default kind-config.yaml)")
	option.Variables(set, "cluster", "node-image", "kind-config")
}

// Resolve sets defaults and checks everything that needs no build and no boot. The error is one line with the flag and
// the remedy.
func (c Config) Resolve() (Config, error) {
	c, err := c.withDefaults()
	if err != nil {
		return Config{}, err
	}
	if c.External != nil {
		c.subjects = c.nodes()
	} else if c.subjects, err = kubelets.ParseSubjects(c.Lane, c.Subjects); err != nil {
		return Config{}, option.Invalid("subjects", c.Subjects, "%w%s", err, c.wayToANode(err))
	}
	if c.Profile != trial.Quick && c.Profile != trial.Full {
		return Config{}, option.Invalid("profile", c.Profile, "it must be %s or %s", trial.Quick, trial.Full)
	}
	if c.root, err = c.findRoot(); err != nil {
		return Config{}, err
	}
	out := c.Out
	c.Out = Inside(c.root, out)
	if c.KindConfig != "" {
		c.KindConfig = Inside(c.root, c.KindConfig)
	}
	if info, err := os.Stat(c.Out); err == nil && !info.IsDir() {
		return Config{}, option.Invalid("out", out, "it is a file: name a folder")
	}
	if len(c.in(run.NodeLane)) == 0 || c.External != nil {
		return c, nil
	}
	if err := c.checkControlPlane(); err != nil {
		return Config{}, err
	}
	if problems := validation.IsDNS1123Label(c.Cluster); len(problems) > 0 {
		return Config{}, option.Invalid("cluster", c.Cluster, "%s", problems[0])
	}
	if err := node.ValidateRequest(c.NodeImage); err != nil {
		return Config{}, option.Invalid("node-image", c.NodeImage, "%w", err)
	}
	if c.NodeImage == node.RequestPublished && c.otherRuntimes() {
		return Config{}, option.Invalid("node-image", c.NodeImage, "a subject's runtime needs podclock's own node "+
			"image: leave it out, or set it to %s", node.RequestBuild)
	}
	c.idle = nil
	return c, cluster.Validate(c.clusterOptions(nil))
}

// PodLimit is how many pods each worker of the node lane's cluster may have (maxPods).
func (c Config) PodLimit() (int, error) { return cluster.PodLimit(c.clusterOptions(nil)) }

// Check returns an error if a pre-release can't be downloaded, or if podclock can't have the name of the node lane's
// cluster. It boots nothing.
func (c Config) Check(ctx context.Context) error {
	if c.External != nil {
		return nil
	}
	for _, s := range c.subjects {
		if err := builder.Check(ctx, s); err != nil {
			return err
		}
	}
	if len(c.in(run.NodeLane)) == 0 {
		return nil
	}
	return cluster.NewProvider(c.clusterOptions(nil)).CheckName(ctx)
}

// OnExternal is the value of --on for a cluster that podclock did not make.
const OnExternal = "external"

func (c Config) nodes() (all []kubelets.Subject) {
	for _, n := range c.External.Nodes {
		all = append(all, kubelets.Subject{Version: n.Kubelet.Version, Node: n.Name})
	}
	return all
}

func (c Config) withDefaults() (Config, error) {
	c.Lane = cmp.Or(c.Lane, run.NodeLane)
	subjects, profile := newest(), trial.Quick
	switch c.Lane {
	case run.NodeLane:
	case run.VirtualLane:
		subjects, profile = strings.Join(kubelets.VirtualVersions(), ","), trial.Full
	default:
		return c, option.Invalid("lane", c.Lane, "it must be %s or %s", run.NodeLane, run.VirtualLane)
	}
	if c.root == "" { // not resolved before
		c.idle = c.ofCluster()
	}
	c.Subjects, c.Profile = cmp.Or(c.Subjects, subjects), cmp.Or(c.Profile, profile)
	c.Cluster, c.Out = cmp.Or(c.Cluster, "podclock"), cmp.Or(c.Out, "out")
	return c, nil
}

func (c Config) ofCluster() (set []string) {
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"--cluster", c.Cluster != ""}, {"--kind-config", c.KindConfig != ""}, {"--node-image", c.NodeImage != ""},
		{"--keep", c.Keep},
	} {
		if f.set {
			set = append(set, f.name)
		}
	}
	return set
}

// wayToANode ends an error about a subject that needs a real node.
func (c Config) wayToANode(err error) string {
	if c.Lane == run.VirtualLane && errors.Is(err, kubelets.ErrNodeOnly) {
		return ": make e2e has real nodes, for subjects without virtual:"
	}
	return ""
}

// checkControlPlane refuses other subjects beside a mutation of the control plane, which the whole cluster shares,
// unless the mutants of one component take turns.
func (c Config) checkControlPlane() error {
	subjects := c.in(run.NodeLane)
	i := slices.IndexFunc(subjects, kubelets.Subject.MutatesControlPlane)
	if i < 0 {
		return nil
	}
	mutant := subjects[i]
	for _, other := range subjects {
		inTurn := c.Pool == 1 && other.Component() == mutant.Component()
		if other.Mutation != mutant.Mutation && !inTurn {
			return option.Invalid("subjects", c.Subjects,
				"%s changes the %s of the whole cluster, which %s would share: give each a run of its own, or use a "+
					"virtual node (virtual:)", mutant, mutant.Component(), other)
		}
	}
	return nil
}

// WithCopies returns a resolved configuration with n copies of each subject.
func (c Config) WithCopies(n int) (Config, error) {
	var names []string
	for _, s := range c.subjects {
		for _, one := range s.Copies(n) {
			names = append(names, one.String())
		}
	}
	c.Subjects = strings.Join(names, ",")
	return c.Resolve()
}

// On returns a resolved configuration for some of an external cluster's nodes.
func (c Config) On(nodes []external.Node) Config {
	some := *c.External
	some.Nodes = nodes
	c.External = &some
	c.subjects = c.nodes()
	return c
}

// AllSubjects returns the subjects of both lanes. There are none before [Config.Resolve].
func (c Config) AllSubjects() []kubelets.Subject { return c.subjects }

// SubjectNames returns the names of AllSubjects in the same order, as outcomes have them and Focus matches them.
func (c Config) SubjectNames() []string {
	names := make([]string, len(c.subjects))
	for i, s := range c.subjects {
		names[i] = s.String()
	}
	return names
}

// InLane returns the names of the subjects of a lane.
func (c Config) InLane(lane run.Lane) (names []string) {
	for _, s := range c.in(lane) {
		names = append(names, s.String())
	}
	return names
}

// otherRuntimes reports whether a subject has another runtime than the node image's.
func (c Config) otherRuntimes() bool {
	return slices.ContainsFunc(c.subjects, func(s kubelets.Subject) bool { return s.Runtime != "" })
}

func (c Config) in(lane run.Lane) []kubelets.Subject {
	return slices.DeleteFunc(slices.Clone(c.subjects), func(s kubelets.Subject) bool { return s.Lane() != lane })
}

func (c Config) laneOf(subject string) run.Lane {
	for _, s := range c.subjects {
		if s.String() == subject {
			return s.Lane()
		}
	}
	return ""
}

func (c Config) clusterOptions(spares map[string]int) cluster.Options {
	o := cluster.Options{
		Name: c.Cluster, Base: c.KindBase, ConfigPath: c.KindConfig, Keep: c.Keep, Spares: spares,
	}
	for _, s := range c.settled() {
		o.Subjects = append(o.Subjects, s.Slug())
	}
	for i := range c.Pool {
		o.Subjects = append(o.Subjects, poolLabel(i))
	}
	return o
}

// settled returns the node lane's subjects that have workers of their own.
func (c Config) settled() []kubelets.Subject {
	return slices.DeleteFunc(c.in(run.NodeLane), c.pooled)
}

// pooled reports whether a subject shares the workers of the pool.
func (c Config) pooled(s kubelets.Subject) bool {
	return c.Pool > 0 && s.Mutation != ""
}

func poolLabel(i int) string { return fmt.Sprintf("pool-%d", i+1) }

// MostAtOnce is the default number of an external cluster's nodes that one run has.
const MostAtOnce = 10

// Settings returns what decides what a run does, by the variables of its flags. [run.Environment.Command] reads them.
// Subjects mean the same without LANE.
func (c Config) Settings() map[string]string {
	s := map[string]string{"FOCUS": c.Focus, "SKIP": c.Skip, "LABELS": c.Labels}
	if c.Promises != nil {
		s["FILENAME"] = strings.Join(c.Promises.Files, ",")
	} else if c.External != nil || c.Profile != trial.Quick {
		s["PROFILE"] = string(c.Profile)
	}
	switch {
	case c.External != nil:
		c.onExternal(s)
	case c.Lane == run.VirtualLane:
		s["SUBJECTS"] = strings.Join(c.SubjectNames(), ",")
	default:
		s["SUBJECTS"] = c.Subjects
	}
	if c.External == nil && len(c.in(run.NodeLane)) > 0 {
		s["CLUSTER"], s["KIND_CONFIG"], s["NODE_IMAGE"] = c.Cluster, c.KindConfig, c.NodeImage
		if inside, err := filepath.Rel(c.root, c.KindConfig); err == nil && filepath.IsLocal(inside) {
			s["KIND_CONFIG"] = inside
		}
		if c.Keep {
			s["KEEP"] = "1"
		}
	}
	if len(c.in(run.VirtualLane)) > 0 && c.Seed != firstSeed {
		s["SEED"] = strconv.FormatUint(c.Seed, 10)
	}
	maps.DeleteFunc(s, func(_, value string) bool { return value == "" })
	return s
}

// onExternal adds the settings of an external cluster. Its nodes are those that were chosen, by name.
func (c Config) onExternal(s map[string]string) {
	on := c.External
	s["ON"], s["NODES"], s["IMAGES"] = OnExternal, strings.Join(c.SubjectNames(), ","), c.Images
	s["KUBECONFIG"] = on.Kubeconfig
	for _, h := range on.Allow {
		s["ALLOW"] = strings.TrimPrefix(s["ALLOW"]+","+string(h), ",")
	}
	if on.Context != kubeconfig.InCluster {
		s["CONTEXT"] = on.Context
	}
	if c.PullSecret != nil {
		s["PULL_SECRET"] = "true"
	}
	if n := len(on.Nodes); n > MostAtOnce {
		s["AT_ONCE"] = strconv.Itoa(n)
	}
}

func newest() string { return formula.Versions()[0] }

// findRoot returns the folder that relative paths start at: the project's, or the working directory for what needs no
// compiler.
func (c Config) findRoot() (string, error) {
	root, err := Root()
	if _, missing := exec.LookPath("go"); missing != nil {
		err = missing
	}
	subjects := c.subjects
	if err == nil || c.External != nil {
		subjects = nil
	}
	for _, s := range subjects {
		if s.Virtual || s.Runtime != "" || !s.Own() && (!inImage(s) || s.MutatesControlPlane()) {
			return "", option.Invalid("subjects", s, "it must be compiled, which needs Go and a checkout of podclock: "+
				"%w; %s, and kubelets given by their paths, need neither", err, newest())
		}
	}
	if root != "" {
		return root, nil
	}
	return os.Getwd()
}

// inImage reports whether podclock's node image has the kubelet of a subject in the node lane.
func inImage(s kubelets.Subject) bool {
	return (s.Released() || s.MutatesControlPlane()) && s.Version == newest()
}

// newerThanImage returns the subject of the newest release, if that is newer than the node image. A kubelet must not be
// newer than its API server: https://kubernetes.io/releases/version-skew-policy/.
func (c Config) newerThanImage() (newer kubelets.Subject, found bool) {
	for _, s := range c.in(run.NodeLane) {
		if s.Source() == "" && semver.Compare(s.Version, cmp.Or(newer.Version, newest())) > 0 {
			newer, found = s, true
		}
	}
	return newer, found
}

// Root returns the project's folder, at or above the working directory, or else that of the program. So a program that
// was built in a checkout works in other folders, such as a clone of Kubernetes.
func Root() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the project's root: %w", err)
	}
	for _, folder := range []string{here, program.Folder()} {
		if root := rootAbove(folder); root != "" {
			return root, nil
		}
	}
	return "", fmt.Errorf("%s is not inside podclock's source: run it from a checkout", here)
}

func rootAbove(dir string) string {
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module github.com/podclock/podclock\n") {
			return dir
		}
	}
	return ""
}

// Inside returns a user's path. A relative one starts at the root.
func Inside(root, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(root, path)
}
