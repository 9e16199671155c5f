package node

import (
	"context"
	"fmt"
	"strings"
)

// suite is the Debian release of the node, the last one with a systemd that supports cgroup v1.
const suite = "bookworm"

// packages are those of kind's own image (images/base/Dockerfile) without network storage and rootless operation.
var packages = []string{
	"systemd", "dbus",
	"conntrack", "iptables", "nftables", "iproute2", "ethtool", "util-linux", "mount", "kmod", // the kubelet
	"libseccomp2", "socat", // socat is for port forwarding
	"crun",                                                         // what containerd starts containers with
	"e2fsprogs", "bash", "ca-certificates", "curl", "jq", "procps", // kind's entrypoint and hooks
}

func makeRootFS(ctx context.Context, dir string, from mirror) error {
	include := "--include=" + strings.Join(packages, ",")
	cmd := command(ctx, "debootstrap", "--variant=minbase", include, suite, dir, from.URL)
	isolate(cmd, "")
	if from.Proxy != "" {
		cmd.Env = append(cmd.Env, "http_proxy="+from.Proxy, "https_proxy="+from.Proxy)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("making a Debian %s root file system from %s: %w: %s", suite, from.URL, err, tail(out))
	}
	return nil
}
