package nodes

import (
	"bytes"
	"context"
)

// PlaceManifest writes the manifest of a static pod to a node. It appears with one rename, so the kubelet never reads
// a part of it.
func (s *Set) PlaceManifest(ctx context.Context, nodeName, name string, manifest []byte) error {
	_, err := s.run(ctx, nodeName, "writing the manifest of static pod "+name,
		script{text: placeScript, args: []string{name}, stdin: bytes.NewReader(manifest)})
	return err
}

// RemoveManifest removes the manifest of a static pod, if it is there, or those of all if the name is "*".
func (s *Set) RemoveManifest(ctx context.Context, nodeName, name string) error {
	_, err := s.run(ctx, nodeName, "removing the manifest of static pod "+name,
		script{text: removeScript, args: []string{name}})
	return err
}

// Manifests of trials begin with podclock-. The kubelet ignores files whose names begin with a dot.
const (
	placeScript = manifests + `
if [ -z "$folder" ]; then echo "its kubelet has no staticPodPath" >&2; exit 1; fi
mkdir -p "$folder"
cat >"$folder/.podclock-$1"
mv "$folder/.podclock-$1" "$folder/podclock-$1.json"
`
	removeScript = manifests + `
if [ -n "$folder" ]; then rm -f "$folder"/podclock-$1.json; fi
`
	manifests = `
folder=$(sed -n 's/^staticPodPath: *//p' ` + kubeletConfigPath + `)
`
)
