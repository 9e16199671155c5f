package nodes

import (
	"context"
	"fmt"
	"os"
	"time"

	kind "sigs.k8s.io/kind/pkg/cluster/nodes"

	"github.com/podclock/podclock/images/node"
)

const (
	// ownFolder contains podclock's components and the files of another runtime than the image's.
	ownFolder = "/usr/local/lib/podclock"
	// runtimeKey contains the key of a node's other runtime.
	runtimeKey = ownFolder + "/runtime"
	// runtimeTimeout is how long a node may take to exchange its runtime. 5 s are usual.
	runtimeTimeout = 2 * time.Minute
	// ownUnit is the systemd unit of the node image's own runtime.
	ownUnit = "containerd"
)

// runtimeShell begins every script that depends on the node's runtime. http is curl's option for its socket, removed is
// what it logs before the ID of a container that it removes. images lists the names of its images, load adds those of
// a docker-archive. The runtime.sh of another runtime's archive replaces all of it.
const runtimeShell = `
unit=` + ownUnit + `
socket=/run/containerd/containerd.sock
http=--http2-prior-knowledge
removed='RemoveContainer for'
images() { ctr --namespace k8s.io images list --quiet; }
load() { ctr --namespace k8s.io images import --all-platforms --digests -; }
[ ! -e ` + ownFolder + `/runtime.sh ] || . ` + ownFolder + `/runtime.sh
`

// PutRuntime replaces the runtime of a node, which must have no pods. It leaves the kubelet stopped, unless the node
// already has that runtime: [Set.PutKubelet] starts it.
func (s *Set) PutRuntime(ctx context.Context, nodeName string, r node.Runtime) error {
	n, err := s.Node(nodeName)
	if err != nil {
		return err
	}
	if err := putRuntime(ctx, n, r); err != nil {
		return fmt.Errorf("putting runtime %s on node %s: %w", r.Name, nodeName, err)
	}
	return nil
}

func putRuntime(ctx context.Context, n kind.Node, r node.Runtime) error {
	has, err := run(ctx, n, script{text: `[ ! -e ` + runtimeKey + ` ] || cat ` + runtimeKey})
	if err != nil {
		return fmt.Errorf("finding which runtime it has: %w", err)
	}
	if has == r.Key {
		return nil
	}
	archive, err := os.Open(r.Archive)
	if err != nil {
		return err
	}
	defer func() { _ = archive.Close() }()
	put := script{text: putRuntimeScript, args: []string{r.Key}, stdin: archive, limit: runtimeTimeout}
	if _, err := run(ctx, n, put); err != nil {
		return fmt.Errorf("%w; it logged: %s", err, runtimeJournal(ctx, n))
	}
	return nil
}

// putRuntimeScript puts the runtime whose archive is on stdin and whose key is $1.
const putRuntimeScript = runtimeShell + `
systemctl stop kubelet $unit ` + ownUnit + `
rm -f ` + runtimeKey + `
tar --extract --directory / --keep-directory-symlink --no-same-owner
. ` + ownFolder + `/runtime.sh
prepare
systemctl daemon-reload
systemctl start $unit
load < ` + ownFolder + `/pause.tar
echo "$1" > ` + runtimeKey + `
`

func runtimeJournal(ctx context.Context, n kind.Node) string {
	out, err := run(ctx, n, script{text: runtimeShell + `journalctl --unit $unit --no-pager --output cat --lines 30`})
	if err != nil {
		return fmt.Sprintf("its journal can't be read: %v", err)
	}
	return LastLines(out, 5)
}
