package nodes

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	kind "sigs.k8s.io/kind/pkg/cluster/nodes"
)

const (
	kubeletPath = "/usr/bin/kubelet"
	// imageKubeletPath is the node image's own kubelet while another one replaces it.
	imageKubeletPath = "/usr/bin/kubelet.image"
	// kubeletDropIn adds arguments to the kubelet's command line.
	kubeletDropIn = "/etc/systemd/system/kubelet.service.d/90-podclock.conf"

	// kubeletTimeout is how long a restarted kubelet may take to report Ready.
	kubeletTimeout = 90 * time.Second
	// crashLoopRestarts is the number of restarts by systemd, a second apart, that shows a broken kubelet.
	crashLoopRestarts = 5
)

// Kubelet is a kubelet to put on a node.
type Kubelet struct {
	// Path is the binary on this host. Empty: the node image's own kubelet.
	Path string
	// Args are appended to the kubelet's command line, Env to its environment.
	Args, Env []string
}

// PutKubelet replaces a node's kubelet and returns once the new one has reported Ready. It does nothing if the node
// already runs that kubelet with those arguments. Pods keep running, and several nodes may be changed at once.
//
// Probes of pods that start within a probe period afterwards have a random start-up delay (prober worker.run).
func (s *Set) PutKubelet(ctx context.Context, nodeName string, k Kubelet) error {
	n, err := s.Node(nodeName)
	if err != nil {
		return err
	}
	if err := s.putKubelet(ctx, n, k); err != nil {
		return fmt.Errorf("putting a kubelet on node %s: %w", nodeName, err)
	}
	return nil
}

func (s *Set) putKubelet(ctx context.Context, n kind.Node, k Kubelet) error {
	want, upload, err := openBinary(k.Path)
	if err != nil {
		return err
	}
	if upload != nil {
		defer func() { _ = upload.Close() }()
	}
	dropIn, args := kubeletDropInFor(k), []string{want}
	state, err := run(ctx, n, script{text: kubeletStateScript, args: args, stdin: strings.NewReader(dropIn)})
	if err != nil {
		return fmt.Errorf("finding which kubelet runs: %w", err)
	}
	if state == "same" {
		return nil
	}
	if state == "here" {
		args = append(args, state)
	} else if upload != nil {
		if _, err := run(ctx, n, script{text: uploadScript, args: args, stdin: upload}); err != nil {
			return fmt.Errorf("copying %s: %w", k.Path, err)
		}
	}
	return s.restartWith(ctx, n, script{text: swapScript, args: args, stdin: strings.NewReader(dropIn)})
}

// openBinary returns the hash of a binary and the opened binary. Both are empty for an empty path.
func openBinary(path string) (string, *os.File, error) {
	if path == "" {
		return "", nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", nil, err
	}
	hash := sha256.New()
	_, err = io.Copy(hash, f)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		_ = f.Close()
		return "", nil, fmt.Errorf("hashing %s: %w", path, err)
	}
	return fmt.Sprintf("%x", hash.Sum(nil)), f, nil
}

// kubeletDropInFor returns the systemd drop-in that appends arguments to kind's command line
// (kubelet.service.d/10-kubeadm.conf) and variables to its environment, or "" for none. Kubeadm's environment file
// would override its own variables, which have the arguments.
func kubeletDropInFor(k Kubelet) string {
	if len(k.Args)+len(k.Env) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("[Service]\n")
	for _, e := range k.Env {
		b.WriteString("Environment=" + strconv.Quote(strings.ReplaceAll(e, "%", "%%")) + "\n")
	}
	if len(k.Args) == 0 {
		return b.String()
	}
	b.WriteString("ExecStart=\nExecStart=" + kubeletPath +
		" $KUBELET_KUBECONFIG_ARGS $KUBELET_CONFIG_ARGS $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS")
	for _, a := range k.Args {
		// systemd expands $ and % in quotes as well.
		b.WriteString(" " + strconv.Quote(strings.NewReplacer("$", "$$", "%", "%%").Replace(a)))
	}
	b.WriteString("\n")
	return b.String()
}

// kubeletStateScript prints "same" if the running process has the hash $1 (empty: the image's own) and the
// drop-in on stdin, "here" if only the drop-in differs.
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
if [ "$running" = "$want" ]; then
  if [ "$dropin" = "$current" ]; then echo same; else echo here; fi
fi
`

// uploadScript writes the binary on stdin, with the hash $1, beside the kubelet.
const uploadScript = `
cp /dev/stdin ` + kubeletPath + `.new
chmod 755 ` + kubeletPath + `.new
got=$(sha256sum ` + kubeletPath + `.new | cut -d' ' -f1)
if [ "$got" != "$1" ]; then echo "it arrived with hash $got instead of $1" >&2; exit 1; fi
`

// swapScript replaces the stopped kubelet by the uploaded one, or by the image's own if $1 is empty, unless $2 says
// that it is here already. It replaces its drop-in by stdin.
const swapScript = `
[ -e ` + imageKubeletPath + ` ] || cp -p ` + kubeletPath + ` ` + imageKubeletPath + `
if [ -z "${2-}" ]; then
  if [ -z "$1" ]; then cp -p ` + imageKubeletPath + ` ` + kubeletPath + `.new; fi
  mv ` + kubeletPath + `.new ` + kubeletPath + `
fi
cat > ` + kubeletDropIn + `
[ -s ` + kubeletDropIn + ` ] || rm ` + kubeletDropIn + `
`

// stopScript stops the kubelet and resets systemd's count of its restarts, which a stop before the next start keeps
// (service_stop of SERVICE_AUTO_RESTART). The reset fails for a unit that is not loaded.
const stopScript = `
systemctl stop kubelet
systemctl reset-failed kubelet 2>/dev/null || :
`

// startScript starts the kubelet in the next second of the node's clock and prints that second, because
// reports' time stamps have no fraction.
const startScript = `
systemctl daemon-reload
sleep "$(printf '0.%09d' $((2000000000 - 1$(date +%N))))"
date +%s
systemctl start kubelet
`

func (s *Set) restartWith(ctx context.Context, n kind.Node, change script) error {
	change.text = stopScript + change.text + startScript
	out, err := run(ctx, n, change)
	if err != nil {
		return fmt.Errorf("changing its kubelet: %w; its kubelet logged: %s", err, kubeletJournal(ctx, n))
	}
	seconds, err := strconv.ParseInt(LastLines(out, 1), 10, 64)
	if err != nil {
		return fmt.Errorf("reading the node's clock: %w", err)
	}
	if err := s.awaitHeartbeat(ctx, n, time.Unix(seconds, 0)); err != nil {
		return fmt.Errorf("%w; its kubelet logged: %s", err, kubeletJournal(ctx, n))
	}
	return nil
}

// awaitHeartbeat waits until a node has reported Ready since a time. A kubelet reports its whole status
// when it starts (tryUpdateNodeStatus).
func (s *Set) awaitHeartbeat(ctx context.Context, n kind.Node, since time.Time) error {
	node, looks := &corev1.Node{}, 0
	err := await(ctx, kubeletTimeout, func(ctx context.Context) (bool, error) {
		if now := (&corev1.Node{}); s.Client.Get(ctx, n.String(), "", now) == nil {
			node = now
			if whyNotReady(node) == "" && !readyCondition(node).LastHeartbeatTime.Time.Before(since) {
				return true, nil
			}
		}
		if looks++; looks%10 != 0 { // every 2 s
			return false, nil
		}
		count, err := kubeletRestarts(ctx, n)
		if err == nil && count >= crashLoopRestarts {
			err = fmt.Errorf("it ended %d times", count)
		}
		return false, err
	})
	if err == nil {
		return nil
	}
	why := whyNotReady(node)
	if why == "" {
		why = "it has not reported since"
	}
	const format = "its restarted kubelet did not become Ready: %w (limit %v): %s"
	return fmt.Errorf(format, Because(ctx, err), kubeletTimeout, why)
}
