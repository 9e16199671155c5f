package node

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/podclock/podclock/images"
)

//go:embed assemble.sh
var assembleScript string

//go:embed default-storage.yaml
var defaultStorage []byte

// KubeadmPatches is the node's folder of kubeadm's patches.
const KubeadmPatches = "/kind/patches"

type layout struct {
	// Root is the node's root file system, Bin contains the compiled programs.
	Root, Bin string
}

func (l layout) assemble(ctx context.Context, src source, kubernetesVersion string) error {
	if err := l.installKindFiles(src.KindFiles); err != nil {
		return fmt.Errorf("installing kind's base files: %w", err)
	}
	for _, c := range components() {
		for _, p := range c.Programs {
			if p.Folder == "" {
				continue
			}
			if err := l.move(p); err != nil {
				return fmt.Errorf("installing %s: %w", p.name(), err)
			}
		}
	}
	if err := l.writeFile("/kind/version", []byte(kubernetesVersion)); err != nil {
		return err
	}
	if err := l.writeFile("/kind/manifests/default-storage.yaml", defaultStorage); err != nil {
		return err
	}
	for _, name := range []string{"etcd", "kube-apiserver", "kube-scheduler"} {
		if err := l.writeFile(path.Join(KubeadmPatches, name+".yaml"), rarelyProbed(name)); err != nil {
			return err
		}
	}
	if err := l.makeImages(ctx, kubernetesVersion); err != nil {
		return err
	}
	return l.runInside(ctx)
}

// rarelyProbed is kubeadm's patch of a component whose readiness kubeadm has probed each second, two of the three with
// a TLS handshake. That was 2.2 of the 14.4 % of a core that an idle cluster of two nodes took.
func rarelyProbed(component string) []byte {
	return fmt.Appendf(nil, "spec: {containers: [{name: %s, readinessProbe: {periodSeconds: 10}}]}\n", component)
}

// installKindFiles copies kind's files. The module cache keeps no file modes, so it sets them as kind's
// Dockerfile does.
func (l layout) installKindFiles(from string) error {
	return filepath.WalkDir(from, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(from, file)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := l.writeFile(name, content); err != nil {
			return err
		}
		if path.Base(path.Dir(name)) == "bin" {
			return os.Chmod(filepath.Join(l.Root, name), 0o755)
		}
		return nil
	})
}

func (l layout) move(p program) error {
	folder := filepath.Join(l.Root, p.Folder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return os.Rename(filepath.Join(l.Bin, p.name()), filepath.Join(folder, p.name()))
}

func (l layout) writeFile(name string, content []byte) error {
	file := filepath.Join(l.Root, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("writing %s of the node: %w", name, err)
	}
	if err := os.WriteFile(file, content, 0o644); err != nil {
		return fmt.Errorf("writing %s of the node: %w", name, err)
	}
	return nil
}

func (l layout) makeImages(ctx context.Context, kubernetesVersion string) error {
	kubeadm := filepath.Join(l.Root, "usr/bin/kubeadm")
	list, err := command(ctx, kubeadm, "config", "images", "list", "--kubernetes-version", kubernetesVersion).Output()
	if err != nil {
		return fmt.Errorf("reading the names of the control plane's images from kubeadm: %w", err)
	}
	config, err := os.ReadFile(filepath.Join(l.Root, "etc/containerd/config.toml"))
	if err != nil {
		return fmt.Errorf("reading the sandbox image's name from kind's containerd configuration: %w", err)
	}
	names, err := imageNames(string(list), string(config))
	if err != nil {
		return err
	}
	folder := filepath.Join(l.Root, "kind/images")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("making the node's images: %w", err)
	}
	for _, c := range components() {
		for _, p := range c.Programs {
			if p.Folder != "" {
				continue
			}
			ref, known := names[p.name()]
			if !known {
				const format = "making the node's images: neither kubeadm nor containerd names an image for %s"
				return fmt.Errorf(format, p.name())
			}
			image := images.Single{Ref: ref, Binary: filepath.Join(l.Bin, p.name())}
			if err := image.WriteArchive(filepath.Join(folder, p.name()+".tar")); err != nil {
				return fmt.Errorf("making the node's images: %w", err)
			}
		}
	}
	return nil
}

var sandboxImage = regexp.MustCompile(`(?m)^\s*sandbox_image = "([^"]+)"`)

// imageNames returns references by the last parts of their names. The sandbox image in containerd's configuration
// replaces kubeadm's pause.
func imageNames(kubeadmList, containerdConfig string) (map[string]string, error) {
	sandbox := sandboxImage.FindStringSubmatch(containerdConfig)
	if sandbox == nil {
		return nil, errors.New("kind's containerd configuration has no sandbox_image: adapt podclock to this kind")
	}
	names := map[string]string{}
	for _, ref := range append(strings.Fields(kubeadmList), sandbox[1]) {
		name, _, _ := strings.Cut(path.Base(ref), ":")
		names[name] = ref
	}
	return names, nil
}

func (l layout) runInside(ctx context.Context) error {
	cmd := command(ctx, "/bin/bash", "-c", assembleScript)
	cmd.Dir = "/"
	isolate(cmd, l.Root)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("assembling the node inside its root file system: %w: %s", err, tail(out))
	}
	return nil
}
