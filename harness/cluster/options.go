package cluster

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/podclock/podclock/harness/cache"
	"github.com/podclock/podclock/harness/engine"
)

// maxNameLength leaves room for kind's longest suffix, "-control-plane", in a
// host name (63 characters) and in the node's kubernetes.io/hostname label.
const maxNameLength = validation.DNS1123LabelMaxLength - len("-control-plane")

// maxNodes is how many /24 pod CIDRs the pod subnet of kind's default, a /16,
// has room for.
const maxNodes = 256

// nameRE is kind's own rule for cluster names.
var nameRE = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*$`)

// engines are the clients of container engines kind can drive, as
// [Options.Engine]. The last two are nerdctl's other names.
var engines = []string{engine.Docker, engine.Podman, engine.Nerdctl, "finch", "nerdctl.lima"}

// Options say which cluster is wanted.
type Options struct {
	// Name of the cluster, as kind lists it.
	Name string
	// ConfigPath is the base kind configuration; see [LoadConfig].
	ConfigPath string
	// NodeImage is the reference of the node image. Empty: kind's default.
	NodeImage string
	// OfflineImage says that NodeImage was built without a registry: it has
	// neither kindnet nor kube-proxy nor CoreDNS.
	OfflineImage bool
	// Subjects gets one worker each. They are label values.
	Subjects []string
	// Spares is how many more workers a subject gets, for trials that need a
	// node to themselves or a kubelet configured differently. One that is not
	// there gets none.
	Spares map[string]int
	// Engine is the name of the container engine's client, as in
	// [engine.Engine]. Empty: the first that kind could drive.
	Engine string
	// Host is what the nodes must be adapted to.
	Host engine.Host
	// Keep leaves the cluster standing at the end, for the next run to adopt.
	Keep bool
	// Log gets one line per thing done. Nil: nowhere.
	Log io.Writer
	// CacheDir is podclock's cache folder, which holds the records of its
	// clusters. Empty: PODCLOCK_CACHE, or podclock in the user's cache folder.
	CacheDir string
	// LogDir is where the nodes' logs are saved when a boot fails. Empty: the
	// error's own excerpt must do.
	LogDir string
}

// Validate checks the options and the configuration file they name. It has no
// side effects and asks no engine, so it can run before anything is built.
func Validate(o Options) error {
	_, err := o.plan()
	return err
}

func (o Options) validate() error {
	if err := o.validateName(); err != nil {
		return err
	}
	if len(o.Subjects) == 0 {
		return errors.New("no subject: a cluster needs at least one worker to measure")
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
		return fmt.Errorf(
			"%d nodes for %d subjects and their spare workers: there is room for %d",
			nodes,
			len(o.Subjects),
			maxNodes,
		)
	}
	return nil
}

func (o Options) validateName() error {
	if !nameRE.MatchString(o.Name) || len(o.Name) > maxNameLength {
		return fmt.Errorf(
			"cluster name %q: use at most %d lower-case letters, digits, '.' and '-' (CLUSTER=<name>)",
			o.Name,
			maxNameLength,
		)
	}
	if o.Engine != "" && !slices.Contains(engines, o.Engine) {
		return fmt.Errorf("container engine %q is none that kind can drive; use one of %v", o.Engine, engines)
	}
	return nil
}

// logf writes one line of progress. A log that can't be written is no reason to
// stop.
func (o Options) logf(format string, args ...any) {
	if o.Log != nil {
		_, _ = fmt.Fprintf(o.Log, "cluster %s: "+format+"\n", append([]any{o.Name}, args...)...)
	}
}

// stateDir is the folder of the records.
func (o Options) stateDir() (string, error) {
	if o.CacheDir != "" {
		return filepath.Join(o.CacheDir, "clusters"), nil
	}
	return cache.Dir("clusters")
}
