package node

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/podclock/podclock/images"
)

// labelPrefix begins the labels of podclock's own node image. Each names a component and has its version.
const labelPrefix = "dev.podclock.node."

// own returns podclock's own image and the source to build it from, or why it can't be built. In that case, it is one
// that the engine has, or "".
func own(ctx context.Context, engine, version string) (src source, ref string, unbuildable error) {
	if src, unbuildable = findSource(ctx); unbuildable != nil {
		return src, newestOwn(ctx, engine, version), unbuildable
	}
	pinned, err := kubernetes.version(src.Root)
	if err == nil && pinned != version {
		err = fmt.Errorf("images/node/kubernetes pins %s, not %s: change the pin", pinned, version)
	}
	if err != nil {
		return src, "", err
	}
	key, err := src.key()
	return src, images.Ref("node", key), err
}

// labels returns the labels of an image that the engine has, else none.
func labels(ctx context.Context, engine, ref string) (found map[string]string) {
	out, err := command(ctx, engine, "image", "inspect", "--format", "{{json .Config.Labels}}", ref).Output()
	if err != nil || json.Unmarshal(out, &found) != nil {
		return nil
	}
	return found
}

// newestOwn returns the first image with podclock's label of a Kubernetes version that the engine lists, or "".
func newestOwn(ctx context.Context, engine, version string) string {
	out, _ := command(ctx, engine, "image", "ls", "--format", "{{.Repository}}:{{.Tag}}",
		"--filter", "label="+labelPrefix+kubernetes.Folder+"="+version).Output()
	first, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSpace(first)
}
