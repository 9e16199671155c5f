package kubelet

import (
	"os"
	"path/filepath"
	"strings"

	containertest "k8s.io/kubernetes/pkg/kubelet/container/testing"
)

// files makes the folders of pods' logs: real ones below the kubelet's root, where the runtime looks for them.
// Changes elsewhere, such as links in /var/log/containers, would be on the host, and are not made.
type files struct {
	containertest.FakeOS
	root string
}

func (f *files) own(path string) bool {
	return strings.HasPrefix(path, f.root+string(filepath.Separator))
}

// MkdirAll makes a folder of the kubelet's own.
func (f *files) MkdirAll(path string, perm os.FileMode) error {
	if !f.own(path) {
		return nil
	}
	return os.MkdirAll(path, perm)
}

// RemoveAll removes a folder of the kubelet's own.
func (f *files) RemoveAll(path string) error {
	if !f.own(path) {
		return nil
	}
	return os.RemoveAll(path)
}

// Stat looks at a file of the kubelet's own.
func (f *files) Stat(path string) (os.FileInfo, error) {
	if !f.own(path) {
		return nil, os.ErrNotExist
	}
	return os.Stat(path)
}
