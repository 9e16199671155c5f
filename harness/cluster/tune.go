package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/kind/pkg/cluster/nodes"
)

// ErrIgnored says that a kubelet started with a configuration but does not run with it,
// because its version doesn't know a field.
var ErrIgnored = errors.New("this kubelet's version ignores a part of its configuration")

// ErrNotRestored says that a node is neither as it was nor as it should be.
var ErrNotRestored = errors.New("the node could not be put back as it was")

// Tuning is what to change about a node for a while.
type Tuning struct {
	// KubeletConfig is merged into the kubelet's configuration (RFC 7386; null
	// removes a field, an object is merged key by key). A field's name and
	// form are those of kubelet.config.k8s.io/v1beta1.
	//
	// kind sets evictionHard to 0 % of nodefs.available, nodefs.inodesFree and
	// imagefs.available, which leaves no hard threshold of memory either.
	KubeletConfig map[string]any
	// NodeFS gives the kubelet a small file system. Nil: the one it has.
	NodeFS *NodeFS
}

// Tune changes a node with one restart of its kubelet, and returns when the
// kubelet has reported Ready and runs with the changes. restore puts back
// exactly what was there, with another restart, and returns when the node is
// Ready and without any pressure. Pods keep running through both, except that
// those in a small file system lose their volumes when it goes, so they should
// be gone before.
//
// It is an error to tune a node twice without restoring it. When Tune fails, it
// has put everything back itself, or the error is [ErrNotRestored], too; it is
// [ErrIgnored] when only this kubelet's version is to blame. A node that was
// never restored, because its run was killed, is when its cluster is adopted.
//
// As after [Cluster.PutKubelet], the first probe of a pod that starts within
// the next few seconds has a random delay.
func (c *Cluster) Tune(
	ctx context.Context,
	nodeName string,
	t Tuning,
) (restore func(context.Context) error, err error) {
	n, err := c.Node(nodeName)
	if err != nil {
		return nil, err
	}
	before, err := c.KubeletConfig(ctx, nodeName)
	if err != nil {
		return nil, fmt.Errorf("tuning node %s: %w", nodeName, err)
	}
	file, err := runScript(ctx, n, commandTimeout, nil, untunedScript)
	if err != nil {
		return nil, fmt.Errorf("tuning node %s: %w", nodeName, err)
	}
	merged, _, err := mergeYAML([]byte(file), t.KubeletConfig)
	if err != nil {
		return nil, fmt.Errorf("tuning node %s: merging the kubelet configuration: %w", nodeName, err)
	}
	if err := c.tune(ctx, n, merged, t); err != nil {
		// What is half done must not stay, whatever became of the context.
		cleaning, cancel := context.WithTimeout(context.WithoutCancel(ctx), kubeletTimeout)
		defer cancel()
		if restoring := c.restore(cleaning, n); restoring != nil {
			err = fmt.Errorf("%w; %w: %w", err, ErrNotRestored, restoring)
		}
		return nil, fmt.Errorf("tuning node %s: %w", nodeName, err)
	}
	return func(ctx context.Context) error {
		if err := c.restore(ctx, n); err != nil {
			return err
		}
		after, err := c.KubeletConfig(ctx, nodeName)
		if err != nil {
			return fmt.Errorf("restoring node %s: %w", nodeName, err)
		}
		if !jsonpatch.Equal(before.Raw, after.Raw) {
			return fmt.Errorf(
				"restoring node %s: its kubelet runs with another configuration than before it was tuned: %s instead of %s",
				nodeName,
				after.Raw,
				before.Raw,
			)
		}
		return nil
	}, nil
}

func (c *Cluster) tune(ctx context.Context, n nodes.Node, config []byte, t Tuning) error {
	args := []string{"", ""}
	if t.NodeFS != nil {
		if err := t.NodeFS.validate(); err != nil {
			return err
		}
		args = []string{fmt.Sprintf("%dm", t.NodeFS.SizeMiB), fmt.Sprint(t.NodeFS.Inodes)}
	}
	if err := c.restartKubelet(ctx, n, bytes.NewReader(config), tuneScript, args...); err != nil {
		return err
	}
	effective, err := c.KubeletConfig(ctx, n.String())
	if err != nil {
		return err
	}
	ignored, err := ignoredFields(t.KubeletConfig, effective.Raw)
	if err != nil {
		return err
	}
	if len(ignored) > 0 {
		return fmt.Errorf("%w: %s", ErrIgnored, strings.Join(ignored, ", "))
	}
	if t.NodeFS != nil {
		return c.waitNodeFS(ctx, n.String(), *t.NodeFS)
	}
	return nil
}

// restore undoes a tuning; on a node that is not tuned it does nothing.
func (c *Cluster) restore(ctx context.Context, n nodes.Node) error {
	state, err := runScript(ctx, n, commandTimeout, nil, `if [ -e `+untunedDir+` ]; then echo tuned; fi`)
	if err != nil {
		return fmt.Errorf("asking node %s whether it is tuned: %w", n, err)
	}
	if state == "" {
		return nil
	}
	if err := c.restartKubelet(ctx, n, nil, restoreScript); err != nil {
		return fmt.Errorf("restoring node %s: %w", n, err)
	}
	if err := waitUnpressed(ctx, c.Client, n); err != nil {
		return fmt.Errorf("restoring node %s: %w", n, err)
	}
	return nil
}

// TaintPrefix is that of the keys of the taints that trials put on nodes.
const TaintPrefix = "podclock.dev/"

// restoreSpares undoes what a killed run left tuned or tainted.
func (c *Cluster) restoreSpares(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, name := range slices.Concat(slices.Collect(maps.Values(c.Spares))...) {
		group.Go(func() error {
			n, err := c.Node(name)
			if err != nil {
				return err
			}
			if err := c.untaint(ctx, name); err != nil {
				return err
			}
			return c.restore(ctx, n)
		})
	}
	return group.Wait()
}

// untaint takes the taints of trials from a node.
func (c *Cluster) untaint(ctx context.Context, nodeName string) error {
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		node := &corev1.Node{}
		if err := c.Client.Resources().Get(ctx, nodeName, "", node); err != nil {
			return err
		}
		before := len(node.Spec.Taints)
		node.Spec.Taints = slices.DeleteFunc(
			node.Spec.Taints,
			func(t corev1.Taint) bool { return strings.HasPrefix(t.Key, TaintPrefix) },
		)
		if len(node.Spec.Taints) == before {
			return nil
		}
		return c.Client.Resources().Update(ctx, node)
	})
	if err != nil {
		return fmt.Errorf("taking the taints of trials from node %s: %w", nodeName, because(ctx, err))
	}
	return nil
}

// untunedDir holds what a tuned node had before: its kubelet's configuration
// file, and what findmnt said of its file system. It is on the node and not in
// this process, so that a run that is killed leaves the way back.
const untunedDir = "/var/lib/podclock-untuned"

// untunedScript prints the kubelet's configuration file of a node that is not
// tuned.
const untunedScript = `
if [ -e ` + untunedDir + ` ]; then echo "it is tuned already; restore it first" >&2; exit 1; fi
cat ` + kubeletConfigPath + `
`

// tuneScript, while the kubelet is stopped, writes down the way back, mounts a
// file system of size $1 with $2 inodes unless they are empty, and replaces the
// configuration by what is on stdin. What is copied to the file system are the
// kubelet's own files: through the bind mount, volumes of pods that are mounted
// below are empty folders, and the kubelet mounts them again. It is private, or
// the file system would be mounted on it as well.
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

// restoreScript, while the kubelet is stopped, goes the way back. Where
// something still uses what is mounted below the file system, that is detached
// at once and vanishes when it is no longer used.
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
