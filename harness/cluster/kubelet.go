package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/e2e-framework/klient/k8s"
	"sigs.k8s.io/e2e-framework/klient/wait"
	"sigs.k8s.io/e2e-framework/klient/wait/conditions"
	"sigs.k8s.io/kind/pkg/cluster/nodes"
)

// Where a kind node has its kubelet, where the image's own one is kept while
// another is in its place, and what adds arguments to its command line.
const (
	kubeletPath      = "/usr/bin/kubelet"
	imageKubeletPath = "/usr/bin/kubelet.image"
	kubeletDropIn    = "/etc/systemd/system/kubelet.service.d/90-podclock.conf"
)

// Kubelet is a kubelet to put on a node.
type Kubelet struct {
	// Path of the binary on this host. Empty: the node image's own kubelet.
	Path string
	// Args are added to the kubelet's command line. A kubelet older than 1.27
	// needs --container-runtime=remote and --container-runtime-endpoint=…,
	// which newer ones reject.
	Args []string
}

// PutKubelet makes the kubelet of a node the given one and returns when that
// one has reported Ready. A node that runs it already, with these arguments,
// is left alone. Pods on the node keep running meanwhile. Several nodes may be
// changed at once.
//
// Probes of pods that start within a probe period after this have a random
// start-up delay (kubelet prober worker.run), so leave some time.
func (c *Cluster) PutKubelet(ctx context.Context, nodeName string, k Kubelet) error {
	n, err := c.Node(nodeName)
	if err != nil {
		return err
	}
	if err := c.putKubelet(ctx, n, k); err != nil {
		return fmt.Errorf("putting a kubelet on node %s: %w", nodeName, err)
	}
	return nil
}

func (c *Cluster) putKubelet(ctx context.Context, n nodes.Node, k Kubelet) error {
	want, upload, err := openBinary(k.Path)
	if err != nil {
		return err
	}
	if upload != nil {
		defer func() { _ = upload.Close() }()
	}
	dropIn := kubeletDropInFor(k.Args)
	state, err := runScript(ctx, n, commandTimeout, strings.NewReader(dropIn), kubeletStateScript, want)
	if err != nil {
		return fmt.Errorf("asking which kubelet runs: %w", err)
	}
	if state == "same" {
		return nil
	}
	if upload != nil {
		if _, err := runScript(ctx, n, commandTimeout, upload, uploadScript, want); err != nil {
			return fmt.Errorf("copying %s: %w", k.Path, err)
		}
	}
	return c.restartKubelet(ctx, n, strings.NewReader(dropIn), swapScript, want)
}

// openBinary returns the hash of a binary and the binary to upload,
// or nothing to upload and an empty hash for the node image's own.
func openBinary(path string) (string, *os.File, error) {
	if path == "" {
		return "", nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", nil, err
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		_ = f.Close()
		return "", nil, fmt.Errorf("hashing %s: %w", path, err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		_ = f.Close()
		return "", nil, fmt.Errorf("rereading %s: %w", path, err)
	}
	return hex.EncodeToString(hash.Sum(nil)), f, nil
}

// kubeletDropInFor returns the systemd drop-in that adds arguments, "" for
// none. Its command line is kind's (kubelet.service.d/10-kubeadm.conf) and
// the arguments after it: kubeadm's environment file is read by systemd after
// any variable that a drop-in could set.
func kubeletDropInFor(args []string) string {
	if len(args) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("[Service]\nExecStart=\nExecStart=" + kubeletPath +
		" $KUBELET_KUBECONFIG_ARGS $KUBELET_CONFIG_ARGS $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS")
	for _, a := range args {
		// $ and % are systemd's own, in quotes too.
		b.WriteString(" " + strconv.Quote(strings.NewReplacer("$", "$$", "%", "%%").Replace(a)))
	}
	b.WriteString("\n")
	return b.String()
}

// kubeletStateScript prints "same" if the process that runs now is the binary
// with the hash $1 (empty: the image's own) and the drop-in is that on stdin.
// It hashes what the process was started from, not what lies in its place.
const kubeletStateScript = `
image=` + imageKubeletPath + `
[ -e $image ] || image=` + kubeletPath + `
want=${1:-$(sha256sum $image | cut -d' ' -f1)}
pid=$(systemctl show --property MainPID --value kubelet)
running=
if [ "$pid" != 0 ]; then running=$(sha256sum /proc/$pid/exe | cut -d' ' -f1); fi
dropin=$(cat)
current=
if [ -e ` + kubeletDropIn + ` ]; then current=$(cat ` + kubeletDropIn + `); fi
if [ "$running" = "$want" ] && [ "$dropin" = "$current" ]; then echo same; fi
`

// uploadScript puts the binary on stdin, of hash $1, beside the kubelet.
const uploadScript = `
cp /dev/stdin ` + kubeletPath + `.new
chmod 755 ` + kubeletPath + `.new
got=$(sha256sum ` + kubeletPath + `.new | cut -d' ' -f1)
if [ "$got" != "$1" ]; then echo "it arrived with hash $got instead of $1" >&2; exit 1; fi
`

// swapScript replaces the stopped kubelet by the uploaded one, or by the
// image's own if $1 is empty, and its drop-in by what is on stdin. It starts
// with the image's own being set aside, once.
const swapScript = `
[ -e ` + imageKubeletPath + ` ] || cp -p ` + kubeletPath + ` ` + imageKubeletPath + `
if [ -z "$1" ]; then cp -p ` + imageKubeletPath + ` ` + kubeletPath + `.new; fi
mv ` + kubeletPath + `.new ` + kubeletPath + `
cat > ` + kubeletDropIn + `
[ -s ` + kubeletDropIn + ` ] || rm ` + kubeletDropIn + `
`

// stopScript stops the kubelet and has systemd forget how often it had to start
// the stopped one again: it does so by itself, except for a unit that is stopped
// while it waits for its next start (service_stop of SERVICE_AUTO_RESTART). A
// unit that is not in memory has nothing to forget, which is no failure.
const stopScript = `
systemctl stop kubelet
systemctl reset-failed kubelet 2>/dev/null || :
`

// startScript starts the kubelet in a second of the node's clock in which the
// stopped one can't have reported, and prints that second: the time stamp of a
// report has no fraction.
const startScript = `
systemctl daemon-reload
sleep "$(printf '0.%09d' $((2000000000 - 1$(date +%N))))"
date +%s
systemctl start kubelet
`

// restartKubelet runs a script while a node's kubelet is stopped and returns
// when the kubelet has been started again and reported Ready.
func (c *Cluster) restartKubelet(
	ctx context.Context,
	n nodes.Node,
	stdin io.Reader,
	script string,
	args ...string,
) error {
	out, err := runScript(ctx, n, commandTimeout, stdin, stopScript+script+startScript, args...)
	if err != nil {
		return fmt.Errorf("changing its kubelet: %w; its kubelet's last words: %s", err, kubeletJournal(ctx, n))
	}
	seconds, err := strconv.ParseInt(lastLines(out, 1), 10, 64)
	if err != nil {
		return fmt.Errorf("reading the node's clock: %w", err)
	}
	if err := c.waitHeartbeat(ctx, n, time.Unix(seconds, 0)); err != nil {
		return fmt.Errorf("%w; its kubelet's last words: %s", err, kubeletJournal(ctx, n))
	}
	return nil
}

// waitHeartbeat waits until a node has reported Ready since a time. A kubelet
// reports its whole status when it starts (tryUpdateNodeStatus: nothing was
// reported before), so this needs no wait for the next regular report. It ends
// early when systemd has to start the kubelet again and again.
func (c *Cluster) waitHeartbeat(ctx context.Context, n nodes.Node, since time.Time) error {
	node := &corev1.Node{}
	node.Name = n.String()
	reported := conditions.New(c.Client.Resources()).ResourceMatch(node, func(o k8s.Object) bool {
		n, ok := o.(*corev1.Node)
		return ok && whyNotReady(n) == "" && !readyCondition(n).LastHeartbeatTime.Time.Before(since)
	})
	looks := 0
	err := wait.For(func(ctx context.Context) (bool, error) {
		if done, err := reported(ctx); done || err != nil {
			return done, err
		}
		if looks++; looks%10 != 0 { // every 2 s
			return false, nil
		}
		count, err := kubeletRestarts(ctx, n)
		if err == nil && count >= crashLoopRestarts {
			err = fmt.Errorf("it ended %d times", count)
		}
		return false, err
	}, wait.WithContext(ctx), wait.WithTimeout(kubeletTimeout), wait.WithInterval(pollInterval), wait.WithImmediate())
	if err == nil {
		return nil
	}
	why := whyNotReady(node)
	if why == "" {
		why = "it has not reported since"
	}
	return fmt.Errorf(
		"its restarted kubelet did not become Ready: %w (bound %v): %s",
		because(ctx, err),
		kubeletTimeout,
		why,
	)
}
