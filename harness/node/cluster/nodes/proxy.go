package nodes

import (
	"context"
	"fmt"
	"strings"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/measure/runner"
)

// proxyTimeout is how long a kube-proxy may take to write its first rules. 2 s are usual.
const proxyTimeout = 2 * time.Minute

// StartProxy runs the node image's own kube-proxy on a node, in a mode of KubeProxyConfiguration. It returns a function
// that stops it and removes its rules. If a kube-proxy of that mode runs already, nothing changes. An error that wraps
// [runner.ErrUnsupported] says why the node can't have one: its image has none, another mode runs, or the kernel lacks
// what the mode needs.
func (s *Set) StartProxy(
	ctx context.Context, nodeName, mode string,
) (stop func(context.Context) error, err error) {
	if err := s.admitProxies(ctx); err != nil {
		return nil, err
	}
	config := fmt.Sprintf(proxyConfig, nodeName, mode)
	said, err := s.run(ctx, nodeName, "starting kube-proxy in mode "+mode, script{
		text: startProxyScript, args: []string{rulesOf[mode]}, stdin: strings.NewReader(config), limit: proxyTimeout,
	})
	stop = func(ctx context.Context) error { return s.stopProxy(ctx, nodeName) }
	if err != nil {
		cleaning, cancel := context.WithTimeout(context.WithoutCancel(ctx), commandTimeout)
		defer cancel()
		if stopping := stop(cleaning); stopping != nil {
			err = fmt.Errorf("%w; %w: %w", err, runner.ErrNotRestored, stopping)
		}
		return nil, err
	}
	switch said {
	case "":
		return stop, nil
	case "runs " + mode:
		return func(context.Context) error { return nil }, nil
	}
	return nil, noProxy(fmt.Sprintf("node %s can't have a kube-proxy in mode %s: %s", nodeName, mode, said))
}

// noProxy is the reason why a node can't have a kube-proxy.
type noProxy string

func (e noProxy) Error() string { return string(e) }

// Is reports that such a node is unsupported.
func (e noProxy) Is(target error) bool { return target == runner.ErrUnsupported }

// stopProxy ends what StartProxy started, also by another run.
func (s *Set) stopProxy(ctx context.Context, nodeName string) error {
	_, err := s.run(ctx, nodeName, "stopping kube-proxy", script{text: stopProxyScript})
	return err
}

// admitProxies lets a kube-proxy use its kubelet's credentials.
func (s *Set) admitProxies(ctx context.Context) error {
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "podclock:node-proxier"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "system:node-proxier"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: "system:nodes"}},
	}
	if err := s.Client.Create(ctx, binding); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("admitting kube-proxies: %w", Because(ctx, err))
	}
	return nil
}

const (
	proxyFolder = "/run/podclock-proxy"
	proxyFile   = proxyFolder + "/config.yaml"
)

// proxyConfig takes a node's name and a mode. Like kind's, it leaves alone the limits of connections that all nodes of
// the host share.
const proxyConfig = `kind: KubeProxyConfiguration
apiVersion: kubeproxy.config.k8s.io/v1alpha1
hostnameOverride: %q
mode: %s
clientConnection: {kubeconfig: /etc/kubernetes/kubelet.conf}
conntrack: {maxPerCore: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
`

// rulesOf are samples of the rules that kube-proxy writes in each mode, as a shell script.
var rulesOf = map[string]string{
	"iptables": `
nat() { iptables -w -t nat "$@"; }
nat -A OUTPUT -p tcp -m comment --comment c -m statistic --mode random --probability 0.5 -j DNAT --to 192.0.2.1:80
nat -A POSTROUTING -m mark ! --mark 0x4000/0x4000 -j MASQUERADE --random-fully
nat -A PREROUTING -m addrtype --dst-type LOCAL -j RETURN
iptables -w -A FORWARD -m conntrack --ctstate INVALID -j DROP
iptables -w -A FORWARD -p tcp -j REJECT
`,
	"nftables": `
nft 'table ip sample {
  map services { type ipv4_addr . inet_proto . inet_service : verdict; }
  chain endpoint { ip protocol tcp dnat to 192.0.2.1:80; }
  chain service { numgen random mod 2 vmap { 0 : goto endpoint, 1 : goto endpoint }; }
  chain refused { reject; }
  chain local { fib daddr type local return; }
  chain output { type nat hook output priority -100; ip daddr . meta l4proto . th dport vmap @services; }
  chain leaving { type nat hook postrouting priority 100; masquerade fully-random; }
}'
`,
}

// startProxyScript starts kube-proxy with the configuration of its standard input, and waits until its rules are
// written. It prints "runs" and the mode of one that runs already, why there can be none, or nothing. It asks the
// kernel for the rules $1 in a network of their own. kube-proxy's metric has the time of its last rules; its health
// check succeeds before it has any.
const startProxyScript = `
if mode=$(curl --silent --fail --max-time 3 http://127.0.0.1:10249/proxyMode); then echo "runs $mode"; exit; fi
if [ ! -x /usr/bin/kube-proxy ]; then echo "its image has none"; exit; fi
if ! refusal=$(unshare --net sh -ec "$1" 2>&1 </dev/null); then echo "its kernel refuses the rules: $refusal"; exit; fi
mkdir -p ` + proxyFolder + `
cat > ` + proxyFile + `
systemd-run --quiet --unit=kube-proxy /usr/bin/kube-proxy --config=` + proxyFile + ` --v=2
written=kubeproxy_sync_proxy_rules_last_timestamp_seconds
while systemctl is-active --quiet kube-proxy; do
  if curl --silent --max-time 3 http://127.0.0.1:10249/metrics | grep --quiet "^$written.*IPv4"; then exit; fi
  sleep 0.1
done
journalctl --unit kube-proxy --no-pager --output cat --lines 3 >&2
exit 1
`

// stopProxyScript stops the kube-proxy that the script above started, if any, and removes its rules.
const stopProxyScript = `
[ -e ` + proxyFolder + ` ] || exit 0
systemctl stop kube-proxy 2>/dev/null || true
systemctl reset-failed kube-proxy 2>/dev/null || true
/usr/bin/kube-proxy --cleanup --config=` + proxyFile + `
rm -r ` + proxyFolder + `
`
