# containerd 1.7 reads kind's configuration, which has version 2. It has a state of its own.
prepare() {
	rm -rf /var/lib/containerd/* /run/containerd/*
	sed -i '/BinaryName/d' /etc/containerd/config.toml # runc, with which it was released
	ctr oci spec | jq 'del(.process.rlimits)' >/etc/containerd/cri-base.json # as assemble.sh does
}
