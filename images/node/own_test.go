package node

import (
	"os"
	"path/filepath"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	. "github.com/onsi/gomega"
)

// The engine is asked for the labels that podclock puts on its image.
func TestOwnImageIsFoundByItsLabels(t *testing.T) {
	g := NewWithT(t)
	config := withConfig(&v1.ConfigFile{}, map[string]string{kubernetes.Folder: "v1.37.2", "runc": "v1.4.0"})
	label := "dev.podclock.node.kubernetes"
	g.Expect(config.Config.Labels).To(HaveKeyWithValue(label, "v1.37.2"))
	g.Expect(nodeConfig.Labels).To(BeNil(), "the configuration of the next image")

	engine := filepath.Join(t.TempDir(), "engine")
	script := `#!/bin/sh
case "$*" in
*"--filter label=` + label + `=v1.37.2"*) printf 'local/node:b\nlocal/node:a\n' ;;
*"inspect --format"*" local/node:b") echo '{"` + label + `": "v1.37.2"}' ;;
*inspect*) exit 1 ;;
esac
`
	g.Expect(os.WriteFile(engine, []byte(script), 0o700)).To(Succeed())
	g.Expect(newestOwn(t.Context(), engine, "v1.37.2")).To(Equal("local/node:b"))
	g.Expect(newestOwn(t.Context(), engine, "v1.36.3")).To(BeEmpty())
	g.Expect(labels(t.Context(), engine, "local/node:b")).To(HaveKeyWithValue(label, "v1.37.2"))
	g.Expect(labels(t.Context(), engine, "local/other")).To(BeEmpty())
}
