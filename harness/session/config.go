// Package session takes a run from a bare host to its report: engine, node image, kubelets, cluster, lab,
// verdicts, files; in the virtual lane virtual nodes, lab, verdicts, files. It is the one place that knows
// all the parts, and it knows nothing that they know: it only puts them in order.
package session

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/podclock/podclock/harness/cluster"
	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/images/node"
)

// Config is a run's variables. A user sets them in the environment or as `make e2e NAME=value`.
type Config struct {
	// Subjects are the kubelets under test, separated by commas: a version such as v1.36.3, one with a
	// mutation such as v1.36.3+resultrun-one, or the path of a kubelet's binary, each in the node lane;
	// virtual:v1.36.3 and virtual:v1.36.3+resultrun-one are in the virtual one. Empty: the newest version
	// in the node lane, all that there are in the virtual one.
	Subjects string `env:"SUBJECTS"`
	// Lane is that of subjects that name none, and of the defaults.
	Lane kubelet.Lane `env:"LANE" envDefault:"node"`
	// Profile chooses the trials: those that last at most three minutes, or all. Empty: quick in the node
	// lane, full in the virtual one, where none takes longer than a blink.
	Profile Profile `env:"PROFILE"`
	// NodeImage is the image of the cluster's nodes: a reference, "build", "published", or empty to decide
	// by whether a registry is in reach.
	NodeImage string `env:"NODE_IMAGE"`
	// Cluster is the kind cluster's name.
	Cluster string `env:"CLUSTER" envDefault:"podclock"`
	// KindConfig is the base kind configuration, relative to the project's root.
	KindConfig string `env:"KIND_CONFIG" envDefault:"kind-config.yaml"`
	// Keep leaves the cluster standing for the next run.
	Keep bool `env:"KEEP"`
	// Workers is how many workers a cluster gets where its subjects can do with fewer spare ones than their
	// trials ask for; 0 is mostWorkers. It is for programs that know what a run of theirs puts upon the
	// host.
	Workers int
	// Kubelets are the paths of kubelets that such a program has built, by their subjects' names. The
	// others are built by the run.
	Kubelets map[string]string
	// Out is where runs are saved, relative to the project's root.
	Out string `env:"OUT" envDefault:"out"`

	// subjects are Subjects, parsed; root is the project's root.
	subjects []kubelet.Subject
	root     string
	// idle are the variables that were set and mean nothing without a cluster.
	idle []string
}

// Profile is a choice of trials.
type Profile string

const (
	// Quick is every trial of at most QuickBound.
	Quick Profile = "quick"
	// Full is every trial.
	Full Profile = "full"
)

// QuickBound is how long a trial of the quick profile lasts at most.
const QuickBound = 3 * time.Minute

// Holds says whether a trial belongs to the profile.
func (p Profile) Holds(t trial.Trial) bool { return p == Full || t.Lasts <= QuickBound && !t.Nightly }

// ParseConfig reads the environment and checks everything that can be checked before anything is built or
// booted. The error is one line that names the variable and the remedy.
func ParseConfig(environment map[string]string) (Config, error) {
	c, err := env.ParseAsWithOptions[Config](env.Options{Environment: environment})
	if err != nil {
		return Config{}, oneLine(err)
	}
	if err := c.goByLane(); err != nil {
		return Config{}, err
	}
	if c.subjects, err = c.Lane.ParseSubjects(c.Subjects); err != nil {
		return Config{}, fmt.Errorf("SUBJECTS=%s: %w%s", c.Subjects, err, c.wayToANode(err))
	}
	if c.Profile != Quick && c.Profile != Full {
		return Config{}, fmt.Errorf("PROFILE=%s: it is %s or %s", c.Profile, Quick, Full)
	}
	if c.root, err = Root(); err != nil {
		return Config{}, err
	}
	c.KindConfig, c.Out = Inside(c.root, c.KindConfig), Inside(c.root, c.Out)
	if info, err := os.Stat(c.Out); err == nil && !info.IsDir() {
		return Config{}, fmt.Errorf("OUT=%s is a file: name a folder", c.Out)
	}
	if len(c.in(kubelet.LaneNode)) == 0 {
		c.idle = c.ofCluster(environment)
		return c, nil
	}
	if err := c.checkControlPlane(); err != nil {
		return Config{}, err
	}
	if err := c.checkCluster(); err != nil {
		return Config{}, err
	}
	return c, nil
}

// checkCluster checks the variables of a cluster.
func (c Config) checkCluster() error {
	if problems := validation.IsDNS1123Label(c.Cluster); len(problems) > 0 {
		return fmt.Errorf("CLUSTER=%s: %s", c.Cluster, problems[0])
	}
	if err := node.ValidateRequest(c.NodeImage); err != nil {
		return fmt.Errorf("NODE_IMAGE=%s: %w", c.NodeImage, err)
	}
	return cluster.Validate(c.clusterOptions(nil))
}

// ofCluster are the variables of a cluster that the user set. KEEP=0 asks for no more than a run without a
// cluster does.
func (c Config) ofCluster(environment map[string]string) []string {
	var set []string
	for _, name := range []string{"CLUSTER", "KIND_CONFIG", "NODE_IMAGE"} {
		if environment[name] != "" {
			set = append(set, name)
		}
	}
	if c.Keep {
		set = append(set, "KEEP")
	}
	return set
}

// wayToANode ends a complaint about a subject that only a real node can have, where subjects that name no
// lane are virtual ones.
func (c Config) wayToANode(err error) string {
	if c.Lane == kubelet.LaneVirtual && errors.Is(err, kubelet.ErrNodeOnly) {
		return ": make e2e has real nodes, for subjects without virtual:"
	}
	return ""
}

// goByLane fills in the defaults that Lane decides.
func (c *Config) goByLane() error {
	subjects, profile := newest(), Quick
	switch c.Lane {
	case kubelet.LaneNode:
	case kubelet.LaneVirtual:
		subjects, profile = strings.Join(kubelet.VirtualVersions(), ","), Full
	default:
		return fmt.Errorf("LANE=%s: it is %s or %s", c.Lane, kubelet.LaneNode, kubelet.LaneVirtual)
	}
	c.Subjects, c.Profile = cmp.Or(c.Subjects, subjects), cmp.Or(c.Profile, profile)
	return nil
}

// oneLine names the variable that env could not parse.
func oneLine(err error) error {
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	if strings.Contains(text, `"Keep"`) {
		return fmt.Errorf("KEEP must be 1 or 0: %s", text)
	}
	return fmt.Errorf("a variable can't be read: %s", text)
}

// SubjectNames are the subjects' names in the order of Subjects.
func (c Config) SubjectNames() []string {
	names := make([]string, len(c.subjects))
	for i, s := range c.subjects {
		names[i] = s.String()
	}
	return names
}

func (c Config) clusterOptions(spares map[string]int) cluster.Options {
	o := cluster.Options{Name: c.Cluster, ConfigPath: c.KindConfig, Keep: c.Keep, Spares: spares}
	for _, s := range c.in(kubelet.LaneNode) {
		o.Subjects = append(o.Subjects, s.Slug())
	}
	return o
}

// settings are the variables that decide what a run does, for its report. Paths are as the user gave them,
// and subjects so that they mean the same without LANE.
func (c Config) settings() map[string]string {
	s := map[string]string{"SUBJECTS": c.Subjects}
	if c.Lane == kubelet.LaneVirtual {
		s["SUBJECTS"] = strings.Join(c.SubjectNames(), ",")
	}
	if c.Profile != Quick {
		s["PROFILE"] = string(c.Profile)
	}
	if len(c.in(kubelet.LaneNode)) == 0 {
		return s
	}
	s["CLUSTER"], s["KIND_CONFIG"] = c.Cluster, relative(c.root, c.KindConfig)
	if c.NodeImage != "" {
		s["NODE_IMAGE"] = c.NodeImage
	}
	if c.Keep {
		s["KEEP"] = "1"
	}
	return s
}

func relative(root, path string) string {
	if inside, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(inside) {
		return inside
	}
	return path
}

// Root is the folder of podclock's source, that of its go.mod, at or above the working directory.
func Root() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the project's root: %w", err)
	}
	for dir := here; ; dir = filepath.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module github.com/podclock/podclock\n") {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s is not inside podclock's source: run it from a checkout", here)
		}
	}
}

// Inside is a path as the user gave it: a relative one is meant from the root.
func Inside(root, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(root, path)
}
