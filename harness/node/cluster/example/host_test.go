package example

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/e2e-framework/pkg/envconf"

	"github.com/podclock/podclock/harness/host/kubeconfig/discovered"
	"github.com/podclock/podclock/harness/node/cluster"
	"github.com/podclock/podclock/images"
)

const (
	theirs = "pc-theirs"
	// image is in the engine's store. Its tag is no hash, as those of users are not.
	image = "podclock.test/fault:latest"
)

// host is where the suite runs.
type host struct {
	options         cluster.Options
	archive, folder string
	refs            []string // of images that the suite loads
	failed          int
}

func real() bool { return os.Getenv("PODCLOCK_E2E") == "1" }

func nodeImage() string { return cmp.Or(os.Getenv("NODE_IMAGE"), "image") }

// docker runs the client of the engine and returns what it printed.
func docker(args ...string) (string, error) {
	out, err := exec.Command(cmp.Or(os.Getenv("KIND_EXPERIMENTAL_PROVIDER"), "docker"), args...).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("docker %s: %w: %s", args[0], err, out)
	}
	return string(out), err
}

// prepare builds an image for the cluster.
func prepare() (*host, error) {
	folder, err := os.MkdirTemp("", "podclock-example-")
	if err != nil {
		return nil, err
	}
	fault, err := images.Build(context.Background(), images.Fault, runtime.GOARCH, io.Discard)
	if err != nil {
		return nil, err
	}
	h := &host{
		options: cluster.Options{NodeImage: nodeImage(), CacheDir: folder, Log: os.Stdout},
		archive: fault.Archive, folder: folder, refs: []string{fault.Ref, image},
	}
	if !real() {
		return h, fake(folder)
	}
	h.options.OfflineImage = true
	for _, args := range [][]string{
		{"load", "--input", fault.Archive}, {"tag", fault.Ref, image},
		{"rmi", fault.Ref, fault.Other, fault.StopSignal},
	} {
		if _, err := docker(args...); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// check is the end of the suite, which ignores errors of other functions.
func (h *host) check(ctx context.Context, _ *envconf.Config) (context.Context, error) {
	var err error
	if _, missing := os.Stat(filepath.Join(h.folder, "logs", name+"-worker")); missing != nil {
		err = fmt.Errorf("no logs were exported: %w", missing)
	}
	left, listing := docker("ps", "-a", "--filter", "label=io.x-k8s.kind.cluster="+name, "--format", "{{.Names}}")
	if err = errors.Join(err, listing); left != "" {
		err = errors.Join(err, fmt.Errorf("these nodes were not deleted: %s", left))
	}
	if real() {
		_, removing := docker("rmi", image)
		err = errors.Join(err, removing)
	}
	if err == nil {
		err = os.RemoveAll(h.folder)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		h.failed = 1
	}
	return ctx, err
}

// fake makes a client of an engine the first in PATH, and serves the API of the cluster that it boots.
func fake(folder string) error {
	client, err := filepath.Abs("../testdata")
	if err != nil {
		return err
	}
	api := httptest.NewTLSServer(http.HandlerFunc(answer))
	user := map[string]any{"name": "admin", "user": map[string]any{}}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: api.Certificate().Raw})
	kubeconfig, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "a", "users": []any{user},
		"clusters": []any{map[string]any{"name": "a", "cluster": map[string]any{
			"server": api.URL, "certificate-authority-data": certificate,
		}}},
		"contexts": []any{map[string]any{"name": "a", "context": map[string]any{"cluster": "a", "user": "admin"}}},
	})
	if err != nil {
		return err
	}
	manifest := `[{"RepoTags": ["` + image + `"]}]`
	var saved bytes.Buffer
	archive := tar.NewWriter(&saved)
	err = archive.WriteHeader(&tar.Header{Name: "manifest.json", Mode: 0o644, Size: int64(len(manifest))})
	_, writing := io.WriteString(archive, manifest)
	store := filepath.Join(folder, "store", filepath.Dir(image))
	return errors.Join(err, writing, archive.Close(), os.MkdirAll(store, 0o755),
		os.WriteFile(filepath.Join(store, filepath.Base(image)), saved.Bytes(), 0o644),
		os.WriteFile(filepath.Join(folder, "admin.conf"), kubeconfig, 0o600),
		os.WriteFile(filepath.Join(folder, "api-server"), []byte(strings.TrimPrefix(api.URL, "https://")), 0o644),
		os.Setenv("FAKE_DOCKER", folder), os.Setenv("KIND_EXPERIMENTAL_PROVIDER", "docker"),
		os.Setenv("PATH", client+string(os.PathListSeparator)+os.Getenv("PATH")))
}

// answer is an API server with two nodes that are always Ready.
func answer(w http.ResponseWriter, r *http.Request) {
	node := func(name, label string) corev1.Node {
		return corev1.Node{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{label: "default"}},
			Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{
				{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastHeartbeatTime: metav1.Now()},
			}},
		}
	}
	worker := node(name+"-worker", cluster.SubjectLabel)
	var object any
	switch path := r.URL.Path; {
	case discovered.Answer(path) != nil:
		object = discovered.Answer(path)
	case path == "/api/v1/nodes":
		object = corev1.NodeList{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "NodeList"},
			Items:    []corev1.Node{node(name+"-control-plane", "none"), worker},
		}
	case path == "/api/v1/nodes/"+worker.Name:
		object = worker
	case strings.HasSuffix(path, "/leases/"+worker.Name):
		now := metav1.NewMicroTime(time.Now())
		object = coordinationv1.Lease{
			TypeMeta: metav1.TypeMeta{APIVersion: "coordination.k8s.io/v1", Kind: "Lease"},
			Spec:     coordinationv1.LeaseSpec{RenewTime: &now},
		}
	case strings.HasPrefix(path, "/api/v1/namespaces"):
		object = corev1.Namespace{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
			ObjectMeta: metav1.ObjectMeta{Name: "example"},
		}
	default:
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if r.Method == http.MethodPost {
		w.WriteHeader(http.StatusCreated)
	}
	_ = json.NewEncoder(w).Encode(object)
}
