package nodes

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/retry"
	kind "sigs.k8s.io/kind/pkg/cluster/nodes"

	"github.com/podclock/podclock/harness/measure/runner"
)

// Tuning is a temporary change of a node.
type Tuning struct {
	// KubeletConfig is merged into the kubelet's configuration (RFC 7386), in the form of
	// kubelet.config.k8s.io/v1beta1.
	//
	// kind sets evictionHard to 0 % of nodefs.available, nodefs.inodesFree and imagefs.available, which also removes
	// the default hard threshold of memory.
	KubeletConfig map[string]any
	// NodeFS gives the kubelet a small file system. Nil: its file system stays.
	NodeFS *NodeFS
}

// Tune changes a node with one restart of its kubelet, and returns once the kubelet is Ready and runs with the changes.
func (s *Set) Tune(ctx context.Context, nodeName string, t Tuning) (restore func(context.Context) error, err error) {
	n, err := s.Node(nodeName)
	if err != nil {
		return nil, err
	}
	var file string
	var merged []byte
	before, err := s.KubeletConfig(ctx, nodeName)
	if err == nil {
		file, err = run(ctx, n, script{text: untunedScript})
	}
	if err == nil {
		if merged, err = mergeYAML([]byte(file), t.KubeletConfig); err != nil {
			err = fmt.Errorf("merging the kubelet configuration: %w", err)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("tuning node %s: %w", nodeName, err)
	}
	if err := s.tune(ctx, n, merged, t); err != nil {
		// A half-tuned node must not stay, even if the context has ended.
		cleaning, cancel := context.WithTimeout(context.WithoutCancel(ctx), kubeletTimeout)
		defer cancel()
		if restoring := s.restore(cleaning, n); restoring != nil {
			err = fmt.Errorf("%w; %w: %w", err, runner.ErrNotRestored, restoring)
		}
		return nil, fmt.Errorf("tuning node %s: %w", nodeName, err)
	}
	return func(ctx context.Context) error {
		if err := s.restore(ctx, n); err != nil {
			return err
		}
		after, err := s.KubeletConfig(ctx, nodeName)
		if err != nil {
			return fmt.Errorf("restoring node %s: %w", nodeName, err)
		}
		if !jsonpatch.Equal(before, after) {
			const format = "restoring node %s: its kubelet's configuration is %s, but before the tuning it was %s"
			return fmt.Errorf(format, nodeName, after, before)
		}
		return nil
	}, nil
}

func (s *Set) tune(ctx context.Context, n kind.Node, config []byte, t Tuning) error {
	args := []string{"", ""}
	if t.NodeFS != nil {
		if err := t.NodeFS.validate(); err != nil {
			return err
		}
		args = []string{fmt.Sprintf("%dm", t.NodeFS.SizeMiB), fmt.Sprint(t.NodeFS.Inodes)}
	}
	if err := s.restartWith(ctx, n, script{text: tuneScript, args: args, stdin: bytes.NewReader(config)}); err != nil {
		return err
	}
	effective, err := s.KubeletConfig(ctx, n.String())
	if err != nil {
		return err
	}
	ignored, err := ignoredFields(t.KubeletConfig, effective)
	if err != nil {
		return err
	}
	if len(ignored) > 0 {
		return fmt.Errorf("%w: %s", runner.ErrUnsupported, strings.Join(ignored, ", "))
	}
	if t.NodeFS != nil {
		return s.awaitNodeFS(ctx, n.String(), *t.NodeFS)
	}
	return nil
}

func (s *Set) restore(ctx context.Context, n kind.Node) error {
	state, err := run(ctx, n, script{text: `if [ -e ` + untunedDir + ` ]; then echo tuned; fi`})
	if err != nil {
		return fmt.Errorf("checking whether node %s is tuned: %w", n, err)
	}
	if state == "" {
		return nil
	}
	err = s.restartWith(ctx, n, script{text: restoreScript})
	if err == nil {
		err = s.AwaitNoPressure(ctx, n.String())
	}
	if err != nil {
		return fmt.Errorf("restoring node %s: %w", n, err)
	}
	return nil
}

// TaintPrefix begins the keys of the taints that trials put on nodes.
const TaintPrefix = "podclock.dev/"

// RestoreAll undoes what a killed run left on nodes.
func (s *Set) RestoreAll(ctx context.Context, nodeNames []string) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, name := range nodeNames {
		group.Go(func() error {
			n, err := s.Node(name)
			if err != nil {
				return err
			}
			if err := s.untaint(ctx, name); err != nil {
				return err
			}
			if err := s.RemoveManifest(ctx, name, "*"); err != nil {
				return err
			}
			if err := s.stopProxy(ctx, name); err != nil {
				return err
			}
			return s.restore(ctx, n)
		})
	}
	return group.Wait()
}

func (s *Set) untaint(ctx context.Context, nodeName string) error {
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		node := &corev1.Node{}
		if err := s.Client.Get(ctx, nodeName, "", node); err != nil {
			return err
		}
		before := len(node.Spec.Taints)
		ours := func(t corev1.Taint) bool { return strings.HasPrefix(t.Key, TaintPrefix) }
		node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, ours)
		if len(node.Spec.Taints) == before {
			return nil
		}
		return s.Client.Update(ctx, node)
	})
	if err != nil {
		return fmt.Errorf("removing the taints of trials from node %s: %w", nodeName, Because(ctx, err))
	}
	return nil
}

// untunedDir contains a tuned node's old state: the kubelet's configuration file, and its file system by findmnt.
const untunedDir = "/var/lib/podclock-untuned"

// untunedScript prints the kubelet's configuration file of a node that is not tuned.
const untunedScript = `
if [ -e ` + untunedDir + ` ]; then echo "it is tuned already; restore it first" >&2; exit 1; fi
cat ` + kubeletConfigPath + `
`

// tuneScript runs while the kubelet is stopped. It saves the old state, mounts a file system of size $1 with $2 inodes
// unless they are empty, and replaces the configuration by stdin. It copies only the kubelet's own files: in the
// private bind mount, the mounted volumes of pods are empty folders.
const tuneScript = `
new=` + untunedDir + `.new
rm -rf $new
mkdir $new
cp -p ` + kubeletConfigPath + ` $new/config.yaml
findmnt --noheadings --output SOURCE,FSTYPE,TARGET --target ` + kubeletRoot + ` > $new/mount
mv $new ` + untunedDir + `
if [ -n "$1" ]; then
  below=$(mktemp -d)
  mount --bind ` + kubeletRoot + ` $below
  mount --make-private $below
  mount -t tmpfs -o "size=$1,nr_inodes=$2" ` + nodeFSName + ` ` + kubeletRoot + `
  mount --make-rshared ` + kubeletRoot + `
  cp -a $below/. ` + kubeletRoot + `
  umount $below
  rmdir $below
fi
cat > ` + kubeletConfigPath + `.new
mv ` + kubeletConfigPath + `.new ` + kubeletConfigPath + `
`

// restoreScript restores the old state while the kubelet is stopped.
const restoreScript = `
if [ "$(findmnt --noheadings --output SOURCE --mountpoint ` + kubeletRoot + ` | tail -n 1)" = ` + nodeFSName + ` ]; then
  umount --recursive ` + kubeletRoot + ` || umount --lazy ` + kubeletRoot + `
fi
now=$(findmnt --noheadings --output SOURCE,FSTYPE,TARGET --target ` + kubeletRoot + `)
before=$(cat ` + untunedDir + `/mount)
if [ "$now" != "$before" ]; then echo "the kubelet's folder is on $now instead of $before" >&2; exit 1; fi
cp -p ` + untunedDir + `/config.yaml ` + kubeletConfigPath + `.new
mv ` + kubeletConfigPath + `.new ` + kubeletConfigPath + `
rm -r ` + untunedDir + `
`
