package nodes

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/e2e-framework/klient/wait"
	kind "sigs.k8s.io/kind/pkg/cluster/nodes"
	"sigs.k8s.io/yaml"

	"github.com/podclock/podclock/harness/host/kubeconfig"
)

const (
	manifestsPath = "/etc/kubernetes/manifests"
	// mountedPath contains podclock's components in their containers, ownFolder those of the node.
	mountedPath = "/podclock"
	// componentAnnotation is on the static pod of podclock's component: the binary's hash, and the environment.
	componentAnnotation = "podclock.dev/component"
	componentVolume     = "podclock-component"
	apiServer           = "kube-apiserver" // the one component that reports its version to clients
)

const (
	// componentTimeout is how long a new component may take until all components are Ready.
	componentTimeout = 3 * time.Minute
	// componentInterval is the time between two checks. componentLooks checks in a row must be good.
	componentInterval = time.Second
	componentLooks    = 5
	readyTimeout      = 2 * time.Minute
)

// Component is a component of the control plane that replaces the node image's own.
type Component struct {
	// Name is that of the program, of its static pod and of the pod's only container, such as kube-apiserver.
	Name string
	// Path is a static binary on this host. Version is what it reports.
	Path, Version string
	// Env are variables of podclock for the program, such as PODCLOCK_MUTATION=name.
	Env []string
}

const (
	ownVariable    = "PODCLOCK_"
	componentGrace = int64(1)
)

func (c Component) annotation(sum string) string {
	return strings.Join(append([]string{sum}, c.Env...), " ")
}

// PutComponent replaces a component of the control plane until the next replacement, and returns once the whole control
// plane is Ready. It does nothing if that component already runs.
func (s *Set) PutComponent(ctx context.Context, component Component) error {
	n, err := s.Node(s.ControlPlane)
	if err != nil {
		return err
	}
	if err := s.putComponent(ctx, n, component); err != nil {
		return fmt.Errorf("putting %s %s on node %s: %w", component.Name, component.Version, n, err)
	}
	return nil
}

func (s *Set) putComponent(ctx context.Context, n kind.Node, component Component) error {
	if component.Path == "" {
		return errors.New("it has no binary: give the path of one")
	}
	sum, binary, err := openBinary(component.Path)
	if err != nil {
		return err
	}
	defer func() { _ = binary.Close() }()
	manifest := path.Join(manifestsPath, component.Name+".yaml")
	before, err := run(ctx, n, script{text: `cat "$1"`, args: []string{manifest}})
	if err != nil {
		return fmt.Errorf("reading its static pod: %w", err)
	}
	host := path.Join(ownFolder, component.Name+"-"+sum[:12])
	after, err := replaceComponent([]byte(before), component, host, sum)
	if err != nil {
		return fmt.Errorf("%s: %w", manifest, err)
	}
	if after != nil {
		upload := script{text: uploadComponentScript, args: []string{host, sum}, stdin: binary, limit: loadTimeout}
		if _, err := run(ctx, n, upload); err != nil {
			return fmt.Errorf("copying %s: %w", component.Path, err)
		}
		// What ends without an API server waits longer each time, up to five minutes. A new kubelet knows no back-off.
		if err := s.restartWith(ctx, n, script{}); err != nil {
			return err
		}
		write := script{text: manifestScript, args: []string{manifest}, stdin: strings.NewReader(string(after))}
		if _, err := run(ctx, n, write); err != nil {
			return fmt.Errorf("writing its static pod: %w", err)
		}
	}
	if err := s.awaitComponent(ctx, n, component, sum); err != nil {
		return err
	}
	return s.AwaitReady(ctx, readyTimeout)
}

// replaceComponent returns a static pod that runs the component, or nil if the pod already does.
func replaceComponent(manifest []byte, component Component, host, sum string) ([]byte, error) {
	var pod corev1.Pod
	name, wanted := component.Name, component.annotation(sum)
	if err := yaml.UnmarshalStrict(manifest, &pod); err != nil {
		return nil, fmt.Errorf("it is no pod: %w", err)
	}
	if pod.Annotations[componentAnnotation] == wanted {
		return nil, nil
	}
	containers := pod.Spec.Containers
	if len(containers) != 1 || containers[0].Name != name || len(containers[0].Command) == 0 {
		const format = "expected one container %s with a command: podclock does not know this kubeadm's pod"
		return nil, fmt.Errorf(format, name)
	}
	inside := path.Join(mountedPath, name)
	if pod.Annotations == nil {
		pod.Annotations = map[string]string{}
	}
	pod.Annotations[componentAnnotation] = wanted
	pod.Spec.Volumes = append(
		slices.DeleteFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == componentVolume }),
		corev1.Volume{
			Name: componentVolume, VolumeSource: corev1.VolumeSource{
				HostPath: &corev1.HostPathVolumeSource{Path: host, Type: new(corev1.HostPathFile)},
			},
		},
	)
	pod.Spec.TerminationGracePeriodSeconds = new(componentGrace) // an API server uses all of its grace period
	container := &containers[0]
	container.VolumeMounts = append(
		slices.DeleteFunc(container.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == componentVolume }),
		corev1.VolumeMount{Name: componentVolume, MountPath: inside, ReadOnly: true})
	container.Command[0] = inside
	container.Env = slices.DeleteFunc(container.Env,
		func(v corev1.EnvVar) bool { return strings.HasPrefix(v.Name, ownVariable) })
	for _, variable := range component.Env {
		name, value, _ := strings.Cut(variable, "=")
		container.Env = append(container.Env, corev1.EnvVar{Name: name, Value: value})
	}
	return yaml.Marshal(pod)
}

// uploadComponentScript writes the binary on stdin, with the hash $2, to $1.
const uploadComponentScript = `
mkdir -p "$(dirname "$1")"
cp /dev/stdin "$1.new"
chmod 755 "$1.new"
got=$(sha256sum "$1.new" | cut -d' ' -f1)
if [ "$got" != "$2" ]; then echo "it arrived with hash $got instead of $2" >&2; exit 1; fi
mv "$1.new" "$1"
`

// manifestScript replaces the static pod $1 by stdin. The kubelet runs every file in the folder, so the new
// one is outside.
const manifestScript = `
new=/etc/kubernetes/podclock-manifest.new
cat > $new
chmod 600 $new
mv $new "$1"
`

// runsScript prints the hash of the binary of each process whose path in its container is $1.
const runsScript = `
for p in /proc/[0-9]*; do
	if [ "$(readlink $p/exe)" = "$1" ]; then sha256sum $p/exe | cut -d' ' -f1; fi
done
`

// awaitComponent waits until the new container runs and all static pods stay Ready. Clients of the API
// server may restart.
func (s *Set) awaitComponent(ctx context.Context, n kind.Node, component Component, sum string) error {
	why, good := errors.New("it was not checked"), 0
	done := func(ctx context.Context) (bool, error) {
		good++
		if why = s.whyNotComponent(ctx, n, component, sum); why != nil {
			good = 0
		}
		return good == componentLooks, nil
	}
	err := wait.For(done, wait.WithContext(ctx), wait.WithTimeout(componentTimeout),
		wait.WithInterval(componentInterval), wait.WithImmediate())
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	const format = "it did not run and become Ready within %v: %w; its kubelet logged: %s"
	return fmt.Errorf(format, componentTimeout, why, kubeletJournal(ctx, n))
}

func (s *Set) whyNotComponent(ctx context.Context, n kind.Node, component Component, sum string) error {
	running, err := run(ctx, n, script{text: runsScript, args: []string{path.Join(mountedPath, component.Name)}})
	switch {
	case err != nil:
		return err
	case running != sum:
		return fmt.Errorf("expected one process with hash %s, found %q", sum[:12], running)
	}
	pods := &corev1.PodList{}
	err = s.Client.GetControllerRuntimeClient().List(ctx, pods, client.InNamespace(metav1.NamespaceSystem),
		client.MatchingLabels{"tier": "control-plane"})
	if err != nil {
		return fmt.Errorf("listing the control plane's pods: %w", err)
	}
	found := false
	for i := range pods.Items {
		pod := &pods.Items[i]
		if pod.Labels["component"] == component.Name {
			found = pod.Annotations[componentAnnotation] == component.annotation(sum)
		}
		if !podReady(pod) {
			return fmt.Errorf("pod %s is not Ready", pod.Name)
		}
	}
	if !found {
		return errors.New("the API server does not show its new pod")
	}
	return s.checkAPIServer(ctx, component)
}

func podReady(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

func (s *Set) checkAPIServer(ctx context.Context, component Component) error {
	if _, err := s.API.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx); err != nil {
		return fmt.Errorf("the API server is not ready: %w", err)
	}
	if component.Name != apiServer {
		return nil
	}
	reported, err := kubeconfig.Version(ctx, s.API)
	if err != nil {
		return fmt.Errorf("reading the API server's version: %w", err)
	}
	if reported != component.Version {
		return fmt.Errorf("the API server reports version %s instead of %s", reported, component.Version)
	}
	return nil
}
