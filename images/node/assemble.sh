#!/bin/bash
# Makes a kind node from a Debian root file system. It runs chrooted inside, in its own mount and process namespaces, so its
# processes and mounts end with it.
#
# The binaries, kind's base files and the archives of the control plane's images exist before it runs. It does what kind's
# own node image does after copying (kind: images/base/Dockerfile and pkg/build/nodeimage).
set -o errexit -o nounset -o pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

mount -t proc proc /proc

# Only the services that a node needs. systemd-binfmt would register formats for the whole host.
wants=/lib/systemd/system
find "$wants/sysinit.target.wants/" -name systemd-tmpfiles-setup.service -delete
rm -f "$wants"/{multi-user,local-fs,basic}.target.wants/* "$wants"/sockets.target.wants/*{udev,initctl}*
rm -f /etc/systemd/system/*.wants/*
echo ReadKMsg=no >>/etc/systemd/journald.conf
ln -sf /usr/lib/systemd/systemd /sbin/init
systemctl enable kubelet.service containerd.service undo-mount-hacks.service
systemctl mask systemd-binfmt.service
mkdir -p /etc/kubernetes/manifests

# Without kind's hook, which hides the host's product name and ID from containers. No victim reads them, and the hook runs
# five programs before every start of a container.
ctr oci spec | jq 'del(.process.rlimits)' >/etc/containerd/cri-base.json

# crun starts a container for two thirds of the CPU time that runc needs. CRI-O and older containerds keep runc. Debian's
# version refuses specifications of OCI after 1.0, whose new fields no pod of podclock uses: it looks for "1.0" in the
# version, and now for "1.".
sed -i 's/\x001\.0\x00/\x001.\x00\x00/' /usr/bin/crun
sed -i 's|^\( *\)SystemdCgroup = true$|&\n\1BinaryName = "/usr/bin/crun"|' /etc/containerd/config.toml
grep -q BinaryName /etc/containerd/config.toml

# Store the images without unpacking them: most nodes never run a control plane.
containerd >/tmp/containerd.log 2>&1 &
containerd=$!
for _ in {1..100}; do
  # ctr hangs without a socket and fails until the server is ready
  [[ -S /run/containerd/containerd.sock ]] && ctr version >/dev/null 2>&1 && break
  kill -0 $containerd || { tail -n 5 /tmp/containerd.log >&2; exit 1; }
  sleep 0.1
done
for archive in /kind/images/*.tar; do
  ctr --namespace=k8s.io images import --label=io.cri-containerd.pinned=pinned --all-platforms --no-unpack "$archive"
done
kill $containerd
wait $containerd || true

# Files that nothing reads on a node.
rm -rf /kind/images /run/* /tmp/*
rm -rf /usr/share/{doc,info,locale,man,lintian,bash-completion}/* /var/cache/{apt,debconf,ldconfig}/* /var/lib/apt/lists/* /var/log/*
# Files that debootstrap copied from the host. The engine gives every node its own.
rm -f /etc/hostname /etc/resolv.conf /etc/machine-id
