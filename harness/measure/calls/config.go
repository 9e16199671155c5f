package calls

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// runSandbox checks the configuration of a new sandbox.
func (c *checker) runSandbox(call timeline.Call) error {
	s, err := read[sandbox](call)
	if err != nil {
		return err
	}
	m := s.Metadata
	if c.sandbox != nil && c.sandbox.Metadata.UID == m.UID && m.Attempt <= c.sandbox.Metadata.Attempt {
		c.wrong("sandbox %d of the pod follows sandbox %d", m.Attempt, c.sandbox.Metadata.Attempt)
	}
	c.labelled("the sandbox", s.Labels, s)
	for name, value := range c.Labels {
		c.same("the label "+name+" of the sandbox", s.Labels[name], value)
	}
	if !strings.HasSuffix(s.LogDirectory, "/"+strings.Join([]string{m.Namespace, m.Name, m.UID}, "_")) {
		c.wrong("the sandbox has the folder %s for its logs", s.LogDirectory)
	}
	hostname := cmp.Or(c.Spec.Hostname, m.Name)
	hostname = strings.TrimRight(hostname[:min(len(hostname), 63)], "-.")
	if c.Spec.HostNetwork {
		hostname = ""
	}
	if full := c.Spec.SetHostnameAsFQDN; full != nil && *full { // the node's domain follows
		hostname += "." + c.Spec.Subdomain + "." + m.Namespace + ".svc."
		c.same("the full hostname", s.Hostname[:min(len(hostname), len(s.Hostname))], hostname)
	} else {
		c.same("the hostname", s.Hostname, hostname)
	}
	var ports, mapped []string
	for _, spec := range c.Spec.Containers {
		for _, p := range spec.Ports {
			if c.Spec.HostNetwork { // the API server's default
				p.HostPort = cmp.Or(p.HostPort, p.ContainerPort)
			}
			ports = append(ports, fmt.Sprintf("%d:%d", p.HostPort, p.ContainerPort))
		}
	}
	for _, p := range s.PortMappings {
		mapped = append(mapped, fmt.Sprintf("%d:%d", p.HostPort, p.ContainerPort))
	}
	c.same("the list of mapped ports", fmt.Sprint(mapped), fmt.Sprint(ports))
	if of := c.Spec.SecurityContext; of != nil {
		c.same("the user of the sandbox", s.Linux.SecurityContext.RunAsUser.Value, value(of.RunAsUser))
	}
	c.groups("the sandbox", s.Linux.SecurityContext)
	c.namespaces("the sandbox", s.Linux.SecurityContext)
	if call.Error == "" {
		c.sandbox = s
		delete(c.has, "")
		if r := s.Linux.Resources; r != nil {
			c.has[""] = *r
		}
	}
	return nil
}

// createContainer checks the configuration of a new container.
func (c *checker) createContainer(call timeline.Call) error {
	is, err := read[container](call)
	if err != nil {
		return err
	}
	spec, _ := c.container(is.Metadata.Name)
	switch {
	case spec == nil && c.Static:
		return nil
	case spec == nil:
		c.wrong("the pod has no container %q", is.Metadata.Name)
		return nil
	case c.sandbox == nil:
		c.wrong("container %s is made without a sandbox of its pod", spec.Name)
		return nil
	}
	named := func(what string) string { return what + " of container " + spec.Name }
	c.labelled("container "+spec.Name, is.Labels, c.sandbox)
	c.same(named("the name label"), is.Labels["io.kubernetes.container.name"], spec.Name)
	count := strconv.Itoa(is.Metadata.Attempt)
	for name, want := range map[string]string{
		"io.kubernetes.container.restartCount":             count,
		"io.kubernetes.container.terminationMessagePath":   cmp.Or(spec.TerminationMessagePath, corev1.TerminationMessagePathDefault),
		"io.kubernetes.container.terminationMessagePolicy": cmp.Or(string(spec.TerminationMessagePolicy), "File"),
		"io.kubernetes.pod.terminationGracePeriod": strconv.FormatInt(
			podspec.TerminationGracePeriodSeconds(&c.Spec), 10),
	} {
		c.same(named("the annotation "+name), is.Annotations[name], want)
	}
	hook := spec.Lifecycle != nil && spec.Lifecycle.PreStop != nil
	c.same(named("whether the preStop hook is an annotation"),
		is.Annotations["io.kubernetes.container.preStopHandler"] != "", hook)
	c.same(named("whether the ports are an annotation"), is.Annotations["io.kubernetes.container.ports"] != "",
		len(spec.Ports) > 0)
	c.same(named("the log"), is.LogPath, spec.Name+"/"+count+".log")
	c.same(named("the command"), fmt.Sprint(is.Command), fmt.Sprint(spec.Command))
	c.same(named("the list of arguments"), fmt.Sprint(is.Args), fmt.Sprint(spec.Args))
	if is.Image.Image == "" {
		c.wrong("container %s has no image", spec.Name)
	}
	c.environment(spec, is)
	c.mounts(spec, is)
	c.security(spec, is.Linux.SecurityContext)
	c.sized(spec, is.Linux.Resources, true)
	if call.Error == "" {
		c.has[spec.Name] = is.Linux.Resources
		c.fits(spec.Name)
	}
	return nil
}

// environment checks that a container has each variable of its specification, with its value if that is known.
func (c *checker) environment(spec *corev1.Container, is *container) {
	values := map[string]string{}
	for _, e := range is.Envs {
		values[e.Key] = e.Value
	}
	for _, want := range spec.Env {
		got, has := values[want.Name]
		optional := want.ValueFrom != nil && want.ValueFrom.FieldRef == nil
		if !has && !optional || !c.means(got, want) {
			c.wrong("variable %s of container %s is %q", want.Name, spec.Name, got)
		}
	}
	for _, from := range spec.EnvFrom {
		optional := from.SecretRef != nil && from.SecretRef.Optional != nil ||
			from.ConfigMapRef != nil && from.ConfigMapRef.Optional != nil
		if _, has := values[from.Prefix+victim.Key]; !has && !optional {
			c.wrong("container %s has no variable %s%s", spec.Name, from.Prefix, victim.Key)
		}
	}
}

// means reports whether a value can be that of a variable.
func (c *checker) means(got string, want corev1.EnvVar) bool {
	if want.ValueFrom == nil {
		return strings.Contains(want.Value, "$(") || got == want.Value
	}
	if want.ValueFrom.FieldRef == nil {
		return true
	}
	m := c.sandbox.Metadata
	switch want.ValueFrom.FieldRef.FieldPath {
	case "metadata.name":
		return got == m.Name
	case "metadata.namespace":
		return got == m.Namespace
	case "metadata.uid":
		return c.Static || got == m.UID
	case "status.podIP": // a recorded call has a name for it
		return c.Spec.HostNetwork || strings.HasPrefix(got, m.Namespace+"/"+m.Name+"/address-")
	}
	return got != ""
}

// mounts checks that a container has its volumes, the pod's hosts and a message file of its own
// (pkg/kubelet/kubelet_pods.go makeMounts, kuberuntime_container.go makeMounts).
func (c *checker) mounts(spec *corev1.Container, is *container) {
	from := map[string]string{}
	for _, m := range is.Mounts {
		from[m.ContainerPath] = m.HostPath
	}
	for _, m := range spec.VolumeMounts {
		if from[m.MountPath] == "" {
			c.wrong("container %s has no mount %s", spec.Name, m.MountPath)
		}
	}
	if from["/etc/hosts"] == "" {
		c.wrong("container %s has no mount of the pod's hosts", spec.Name)
	}
	message := from[cmp.Or(spec.TerminationMessagePath, corev1.TerminationMessagePathDefault)]
	if !strings.Contains(message, "/"+c.sandbox.Metadata.UID+"/containers/"+spec.Name+"/") {
		c.wrong("container %s has the file %q for its termination message", spec.Name, message)
	}
}

func (c *checker) security(spec *corev1.Container, is security) {
	of, pod := spec.SecurityContext, c.Spec.SecurityContext
	if of == nil {
		of = &corev1.SecurityContext{}
	}
	if pod == nil {
		pod = &corev1.PodSecurityContext{}
	}
	user, profile := of.RunAsUser, of.SeccompProfile
	if user == nil {
		user = pod.RunAsUser
	}
	if profile == nil {
		profile = pod.SeccompProfile
	}
	if user != nil { // else it is the image's
		c.same("the user of container "+spec.Name, is.RunAsUser.Value, *user)
	}
	want := unconfined
	if profile != nil {
		want = map[corev1.SeccompProfileType]int{
			corev1.SeccompProfileTypeRuntimeDefault: runtimeDefault, corev1.SeccompProfileTypeUnconfined: unconfined,
			corev1.SeccompProfileTypeLocalhost: localhost,
		}[profile.Type]
	}
	if is.Seccomp == nil {
		c.wrong("container %s has no seccomp profile", spec.Name)
	} else {
		c.same("the seccomp profile of container "+spec.Name, is.Seccomp.Type, want)
	}
	c.same("whether container "+spec.Name+" is privileged", is.Privileged, of.Privileged != nil && *of.Privileged)
	c.same("whether container "+spec.Name+" gains no privileges", is.NoNewPrivs,
		of.AllowPrivilegeEscalation != nil && !*of.AllowPrivilegeEscalation)
	c.groups("container "+spec.Name, is)
	c.namespaces("container "+spec.Name, is)
}

// groups checks the groups of a pod's processes (pkg/kubelet/kuberuntime/security_context.go
// convertToRuntimeSecurityContext; kuberuntime_sandbox.go generatePodSandboxLinuxConfig). No volume adds one.
func (c *checker) groups(what string, is security) {
	if of := c.Spec.SecurityContext; of != nil {
		want := slices.Clone(of.SupplementalGroups)
		if of.FSGroup != nil {
			want = append([]int64{*of.FSGroup}, want...)
		}
		c.same("the list of groups of "+what, fmt.Sprint(is.Groups), fmt.Sprint(want))
	}
}

// namespaces checks whose network and processes are seen.
func (c *checker) namespaces(what string, is security) {
	network, pid := podNamespace, containerNamespace
	if c.Spec.HostNetwork {
		network = nodeNamespace
	}
	switch {
	case c.Spec.HostPID:
		pid = nodeNamespace
	case c.Spec.ShareProcessNamespace != nil && *c.Spec.ShareProcessNamespace:
		pid = podNamespace
	}
	c.same("the network of "+what, is.Namespaces.Network, network)
	c.same("the processes of "+what, is.Namespaces.PID, pid)
}

// labelled checks the labels that the kubelet finds its sandboxes and containers by.
func (c *checker) labelled(what string, is map[string]string, of *sandbox) {
	m := of.Metadata
	want := map[string]string{"name": m.Name, "namespace": m.Namespace, "uid": m.UID}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		c.same("the pod's "+name+" among the labels of "+what, is["io.kubernetes.pod."+name], want[name])
		if want[name] == "" {
			c.wrong("the sandbox has no %s of a pod", name)
		}
	}
}

func (c *checker) same(what string, is, want any) {
	if is != want {
		c.wrong("%s is %v, expected %v", what, is, want)
	}
}

func value(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
