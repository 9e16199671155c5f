package kubelet

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
	corev1 "k8s.io/api/core/v1"
)

// manifests is the folder of static pods' files, staticPodPath of a node's kubelets. It lies beside their root, whose
// content is measured.
func manifests(root string) string { return filepath.Join(filepath.Dir(root), "manifests") }

// Place writes the file of a static pod. For a nil pod, it removes the file if it is there. As on a real node, the file
// appears with one rename.
func Place(root, name string, pod *corev1.Pod) error {
	file := filepath.Join(manifests(root), "podclock-"+name+".json")
	if pod == nil {
		switch err := os.Remove(file); {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		}
		fsnotify.Notify(file, fsnotify.Remove)
		return nil
	}
	text, err := json.Marshal(pod)
	if err != nil {
		return err
	}
	hidden := filepath.Join(manifests(root), ".podclock-"+name)
	if err := os.WriteFile(hidden, text, 0o600); err != nil {
		return err
	}
	fsnotify.Notify(hidden, fsnotify.Create)
	fsnotify.Notify(hidden, fsnotify.Write)
	if err := os.Rename(hidden, file); err != nil {
		return err
	}
	fsnotify.Notify(hidden, fsnotify.Rename)
	fsnotify.Notify(file, fsnotify.Create)
	return nil
}
