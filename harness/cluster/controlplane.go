package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/e2e-framework/klient/k8s/resources"
	"sigs.k8s.io/e2e-framework/klient/wait"
	"sigs.k8s.io/kind/pkg/cluster/nodes"
	"sigs.k8s.io/yaml"
)

// Where the control plane's node has what its kubelet runs by itself, and where
// podclock puts components of its own.
const (
	manifestsPath  = "/etc/kubernetes/manifests"
	componentsPath = "/usr/local/lib/podclock"
	// mountedPath is where they stand in their containers: beside what the image
	// has, wherever that is.
	mountedPath = "/podclock"
)

// componentAnnotation is on the static pod of a component that podclock put
// there; its value is the hash of the binary.
const componentAnnotation = "podclock.dev/component"

// apiServer is the one component that says its version to everybody.
const apiServer = "kube-apiserver"

// componentVolume is what the static pod calls the binary.
const componentVolume = "podclock-component"

// Component is a part of the control plane to put in the place of the node
// image's own.
type Component struct {
	// Name of the program, of its static pod, and of that pod's only container:
	// kube-apiserver or kube-controller-manager.
	Name string
	// Path of the binary on this host. It must be static.
	Path string
	// Version is what it reports.
	Version string
}

// PutComponent makes a component of the control plane the given one, for all
// subjects of the cluster, and returns when that one runs and all of the control
// plane is Ready. A cluster that runs it already, as one that was kept does, is
// left alone. There is no way back: the cluster's subjects say what it runs, and
// so does the digest by which a kept one is found again.
func (c *Cluster) PutComponent(ctx context.Context, component Component) error {
	n, err := c.Node(c.ControlPlane)
	if err != nil {
		return err
	}
	c.options.logf("putting %s %s into the control plane", component.Name, component.Version)
	if err := c.putComponent(ctx, n, component); err != nil {
		return fmt.Errorf("putting %s %s on node %s: %w", component.Name, component.Version, n, err)
	}
	return nil
}

func (c *Cluster) putComponent(ctx context.Context, n nodes.Node, component Component) error {
	if component.Path == "" {
		return errors.New("no binary is named for it")
	}
	sum, binary, err := openBinary(component.Path)
	if err != nil {
		return err
	}
	defer func() { _ = binary.Close() }()
	manifest := path.Join(manifestsPath, component.Name+".yaml")
	before, err := runScript(ctx, n, commandTimeout, nil, `cat "$1"`, manifest)
	if err != nil {
		return fmt.Errorf("reading its static pod: %w", err)
	}
	host := path.Join(componentsPath, component.Name+"-"+sum[:12])
	after, err := replaceComponent([]byte(before), component.Name, host, sum)
	if err != nil {
		return fmt.Errorf("%s: %w", manifest, err)
	}
	if after != nil {
		if _, err := runScript(ctx, n, loadTimeout, binary, uploadComponentScript, host, sum); err != nil {
			return fmt.Errorf("copying %s: %w", component.Path, err)
		}
		if _, err := runScript(
			ctx,
			n,
			commandTimeout,
			strings.NewReader(string(after)),
			manifestScript,
			manifest,
		); err != nil {
			return fmt.Errorf("writing its static pod: %w", err)
		}
	}
	if err := c.awaitComponent(ctx, n, component, sum); err != nil {
		return err
	}
	return waitReady(ctx, c.Client, c.nodes, readyTimeout)
}

// replaceComponent is a static pod with another binary in the place of its
// program, or nil where that is so already.
func replaceComponent(manifest []byte, name, host, sum string) ([]byte, error) {
	var pod corev1.Pod
	if err := yaml.UnmarshalStrict(manifest, &pod); err != nil {
		return nil, fmt.Errorf("it is no pod: %w", err)
	}
	if pod.Annotations[componentAnnotation] == sum {
		return nil, nil
	}
	if len(pod.Spec.Containers) != 1 || pod.Spec.Containers[0].Name != name ||
		len(pod.Spec.Containers[0].Command) == 0 {
		return nil, fmt.Errorf(
			"it has not the one container %s with a command: kubeadm writes another pod than podclock knows",
			name,
		)
	}
	inside := path.Join(mountedPath, name)
	if pod.Annotations == nil {
		pod.Annotations = map[string]string{}
	}
	pod.Annotations[componentAnnotation] = sum
	file := corev1.HostPathFile
	pod.Spec.Volumes = append(
		slices.DeleteFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == componentVolume }),
		corev1.Volume{
			Name:         componentVolume,
			VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: host, Type: &file}},
		},
	)
	container := &pod.Spec.Containers[0]
	container.VolumeMounts = append(
		slices.DeleteFunc(container.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == componentVolume }),
		corev1.VolumeMount{Name: componentVolume, MountPath: inside, ReadOnly: true})
	container.Command[0] = inside
	return yaml.Marshal(pod)
}

// uploadComponentScript puts the binary on stdin, of hash $2, at $1.
const uploadComponentScript = `
mkdir -p "$(dirname "$1")"
cp /dev/stdin "$1.new"
chmod 755 "$1.new"
got=$(sha256sum "$1.new" | cut -d' ' -f1)
if [ "$got" != "$2" ]; then echo "it arrived with hash $got instead of $2" >&2; exit 1; fi
mv "$1.new" "$1"
`

// manifestScript replaces the static pod $1 by what is on stdin. The kubelet
// would run a second pod for a file beside it, so the new one is made elsewhere
// on the same file system.
const manifestScript = `
new=/etc/kubernetes/podclock-manifest.new
cat > $new
chmod 600 $new
mv $new "$1"
`

// runsScript prints the hash of what each process was started from that stands
// at the path $1 in its container.
const runsScript = `
for p in /proc/[0-9]*; do
	if [ "$(readlink $p/exe)" = "$1" ]; then sha256sum $p/exe | cut -d' ' -f1; fi
done
`

// awaitComponent waits until the static pod's new container is the one that
// runs, and all static pods of the control plane stay Ready: those that talk to
// an API server that is replaced may end for want of it, and start again, which
// the new one is told a moment later.
func (c *Cluster) awaitComponent(ctx context.Context, n nodes.Node, component Component, sum string) error {
	why, good := errors.New("it was not looked at"), 0
	err := wait.For(func(ctx context.Context) (bool, error) {
		good++
		if why = c.whyNotComponent(ctx, n, component, sum); why != nil {
			good = 0
		}
		return good == componentLooks, nil
	}, wait.WithContext(ctx), wait.WithTimeout(componentTimeout), wait.WithInterval(componentInterval), wait.WithImmediate())
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf(
		"it did not run and become Ready within %v: %w; its kubelet's last words: %s",
		componentTimeout,
		why,
		kubeletJournal(ctx, n),
	)
}

// whyNotComponent is nil when nothing is missing.
func (c *Cluster) whyNotComponent(ctx context.Context, n nodes.Node, component Component, sum string) error {
	running, err := runScript(ctx, n, commandTimeout, nil, runsScript, path.Join(mountedPath, component.Name))
	switch {
	case err != nil:
		return err
	case running != sum:
		return fmt.Errorf("the processes of the binary with hash %s are: %q", sum[:12], running)
	}
	var pods corev1.PodList
	if err := c.Client.Resources("kube-system").
		List(ctx, &pods, resources.WithLabelSelector("tier=control-plane")); err != nil {
		return fmt.Errorf("listing the control plane's pods: %w", err)
	}
	found := false
	for i := range pods.Items {
		pod := &pods.Items[i]
		if pod.Labels["component"] == component.Name {
			found = pod.Annotations[componentAnnotation] == sum
		}
		if !podReady(pod) {
			return fmt.Errorf("pod %s is not Ready", pod.Name)
		}
	}
	if !found {
		return errors.New("the API server does not show its new pod")
	}
	return c.checkAPIServer(ctx, component)
}

func podReady(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// checkAPIServer makes sure that the API server is ready, and of the version
// that a component that is the API server has.
func (c *Cluster) checkAPIServer(ctx context.Context, component Component) error {
	client, err := kubernetes.NewForConfig(c.RESTConfig())
	if err != nil {
		return err
	}
	if _, err := client.RESTClient().Get().AbsPath("/readyz").DoRaw(ctx); err != nil {
		return fmt.Errorf("the API server is not ready: %w", err)
	}
	if component.Name != apiServer {
		return nil
	}
	raw, err := client.RESTClient().Get().AbsPath("/version").DoRaw(ctx)
	if err != nil {
		return fmt.Errorf("asking the API server for its version: %w", err)
	}
	var reported version.Info
	if err := json.Unmarshal(raw, &reported); err != nil {
		return fmt.Errorf("asking the API server for its version: %w", err)
	}
	if reported.GitVersion != component.Version {
		return fmt.Errorf("the API server says that it is %s", reported.GitVersion)
	}
	return nil
}
