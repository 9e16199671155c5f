# CRI-O takes containerd's place, with runc and the same CNI plugin.
unit=crio
socket=/var/run/crio/crio.sock
http=--http1.1
removed='Removing container: '

prepare() {
	systemctl disable --quiet containerd
	systemctl enable --quiet crio
	# The bounding set lacks CAP_SYS_RESOURCE (24) on a host that does.
	if [ $((0x$(sed -n 's/^CapBnd:\t//p' /proc/self/status) >> 24 & 1)) = 0 ]; then
		mkdir -p /etc/crio/crio.conf.d
		printf '[crio.runtime]\ndefault_runtime = "reduced"\n' >/etc/crio/crio.conf.d/reduced.conf
	fi
}

images() {
	found=/var/lib/containers/storage/overlay-images/images.json
	[ ! -e $found ] || jq --raw-output '.[].names[]?' $found
}

load() {
	archive=$(mktemp)
	cat >"$archive"
	for name in $(tar --extract --to-stdout --file "$archive" manifest.json | jq --raw-output '.[].RepoTags[]'); do
		copyimg --root /var/lib/containers/storage --runroot /run/containers/storage --storage-driver overlay \
			--signature-policy /etc/containers/policy.json --image-name "$name" \
			--import-from "docker-archive:$archive:$name"
	done
	rm "$archive"
}
