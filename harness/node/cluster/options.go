package cluster

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/podclock/podclock/harness/host/cache"
	"github.com/podclock/podclock/harness/host/engine"
)

// maxNameLength leaves room for kind's longest suffix, "-control-plane", in a host name.
const maxNameLength = validation.DNS1123LabelMaxLength - len("-control-plane")

// maxNodes is the number of /24 pod CIDRs in kind's default pod subnet, a /16.
const maxNodes = 256

var nameRE = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*$`)

// engines are the clients that kind can drive. The last two are other names of nerdctl.
var engines = []string{engine.Docker, engine.Podman, engine.Nerdctl, "finch", "nerdctl.lima"}

// Options describe the wanted cluster.
type Options struct {
	Name string
	// Base is the kind configuration that podclock adds to: kind-config.yaml. If ConfigPath is given, that file is it.
	Base       []byte
	ConfigPath string
	// NodeImage is the reference of the node image. Empty: kind's default.
	NodeImage string
	// OfflineImage: NodeImage was built without a registry, so it has no kindnet or CoreDNS, and runs kube-proxy only
	// for trials that need it.
	OfflineImage bool
	// Subjects are label values. Each gets one worker.
	Subjects []string
	// Spares is the number of further workers of each subject, for trials that need a node to themselves.
	Spares map[string]int
	// Engine is the container engine's client, as in [engine.Engine]. Empty: the first that kind can drive.
	Engine string
	// Host is what the nodes must be adapted to.
	Host engine.Host
	// Keep leaves the cluster for the next run to adopt.
	Keep bool
	// Log gets one line per step. Nil: nothing is written.
	Log io.Writer
	// CacheDir is podclock's cache folder. Empty: PODCLOCK_CACHE, or podclock in the user's cache folder.
	CacheDir string
	// LogDir is where a failed boot saves the nodes' logs. Empty: it saves none.
	LogDir string
}

func (o Options) validate() error {
	if err := o.validateName(); err != nil {
		return err
	}
	if len(o.Subjects) == 0 {
		return errors.New("no subject: a cluster needs at least one worker to measure; give one (SUBJECTS=<version>)")
	}
	if err := o.validateSpares(); err != nil {
		return err
	}
	for i, s := range o.Subjects {
		if msgs := validation.IsValidLabelValue(s); s == "" || len(msgs) > 0 {
			return fmt.Errorf("subject %q can't label a worker: use at most 63 letters, digits, '-', '_' and '.'", s)
		}
		if slices.Contains(o.Subjects[:i], s) {
			return fmt.Errorf("subject %q is given twice; give every subject once", s)
		}
	}
	return nil
}

func (o Options) validateSpares() error {
	nodes := 1 + len(o.Subjects)
	for s, spares := range o.Spares {
		if !slices.Contains(o.Subjects, s) {
			return fmt.Errorf("%d spare workers for %q, which is no subject", spares, s)
		}
		if spares < 0 {
			return fmt.Errorf("%d spare workers for subject %q: give at least 0", spares, s)
		}
		nodes += spares
	}
	if nodes > maxNodes {
		const format = "%d nodes for %d subjects and their spare workers: give fewer subjects, at most %d nodes fit"
		return fmt.Errorf(format, nodes, len(o.Subjects), maxNodes)
	}
	return nil
}

func (o Options) validateName() error {
	if !nameRE.MatchString(o.Name) || len(o.Name) > maxNameLength {
		const format = "cluster name %q: use at most %d lower-case letters, digits, '.' and '-' (CLUSTER=<name>)"
		return fmt.Errorf(format, o.Name, maxNameLength)
	}
	if o.Engine != "" && !slices.Contains(engines, o.Engine) {
		return fmt.Errorf("kind can't drive container engine %q; use one of %v", o.Engine, engines)
	}
	return nil
}

// logf writes one line of progress and ignores a log that can't be written.
func (o Options) logf(format string, args ...any) {
	if o.Log != nil {
		_, _ = fmt.Fprintf(o.Log, "cluster %s: "+format+"\n", append([]any{o.Name}, args...)...)
	}
}

func (o Options) stateDir() (string, error) {
	if o.CacheDir != "" {
		return filepath.Join(o.CacheDir, "clusters"), nil
	}
	return cache.Dir("clusters")
}
