package event

import (
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
)

// aggregated begins the message of an event that stands for others (client-go tools/record/events_cache.go
// EventAggregatorByReasonMessageFunc). It can have the object of one and the message of another.
const aggregated = "(combined from similar events): "

// image is a quoted image.
const image = `"[^\s"%]+"`

// ofContainer are the events about a container (pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer,
// kuberuntime_manager.go doBackOff, images/image_manager.go). Those about probes and kills depend on its specification.
var ofContainer = []form{
	{"Created", normal, `Container created|Created container:? NAME`},
	{"Started", normal, `Container started|Started container NAME`},
	{"Failed", warning, `Error: .+|Internal Pre(Create|Start)Container hook failed: .+`},
	{"BackOff", warning, `Back-off restarting failed container( NAME in pod [\w.-]+_[\w.-]+\([\w-]+\))?`},
	{"FailedPostStartHook", warning, `PostStartHook failed|.*(Hook|hook|handler|timed out|Handler).*`},
	{"FailedPreStopHook", warning, `PreStopHook failed|.*(Hook|hook|handler|timed out|Handler).*`},
}

// ofImage are the events about an image (images/image_manager.go). It is a container's or, without one, a volume's.
var ofImage = []form{
	{"Pulling", normal, `Pulling image ` + image},
	{"Pulled", normal, `Container image ` + image + ` already present on machine( and can be accessed by the pod)?|` +
		`Successfully pulled image ` + image + ` in [\d.µa-z]+( \([\d.µa-z]+ including waiting\))?` +
		`(\. Image size: \d+ bytes\.)?`},
	{"Failed", warning, `Failed to pull image ` + image + `: .+`},
	{"BackOff", normal, `Back-off pulling image ` + image},
	{"InspectFailed", warning, `Failed to (apply default image tag|inspect image) "[^"]*": .+`},
	{"ErrImageNeverPull", warning, `Container image ` + image + ` is not present with pull policy of Never`},
}

// ofPod are the events about the whole pod (kubelet.go, kuberuntime_manager.go SyncPod, pod_workers.go killPodNow,
// active_deadline.go, eviction/helpers.go, preemption/preemption.go, events/event.go podResizeMessage).
var ofPod = []form{
	{"SandboxChanged", normal, `Pod sandbox changed, it will be killed and re-created\.`},
	{"FailedCreatePodSandBox", warning, `Failed to create pod sandbox: .+`},
	{"FailedPodSandBoxStatus", warning, `Unable to get pod sandbox status: .+`},
	{"NetworkNotReady", warning, `network is not ready: .+`},
	{"FailedKillPod", warning, `error killing pod: .+`},
	{"FailedSync", warning, `error determining status: .+`},
	{"FailedCreatePodContainer", warning, `unable to ensure pod container exists: .+`},
	{"FailedMount", warning, `.+`},
	{"Failed", warning, `error making pod data directories: .+`},
	{"ExceededGracePeriod", warning, `Container runtime did not kill the pod within specified grace period\.`},
	{"DeadlineExceeded", normal, `Pod was active on the node longer than the specified deadline`},
	{"Preempting", warning, `Preempted in order to admit critical pod`},
	{"Evicted", warning, `The node was low on resource: [\w./-]+\. ` +
		`(Threshold quantity: [\w.]+, available: -?[\w.]+\. )?` +
		`((Container CONTAINER|Pod [\w.-]+) was using [\w.]+, (which exceeds its request of [\w.]+|` +
		`request is [\w.]+, has larger consumption of [\w./-]+)\. )*|` +
		`The node had condition: \[[\w ]+\]\. |` +
		`Container CONTAINER exceeded its local ephemeral storage limit "[\w.]+"\. |` +
		`Pod ephemeral local storage usage exceeds the total limit of containers [\w.]+\. |` +
		`Usage of EmptyDir volume "[\w.-]+" exceeds the limit "[\w.]+"\. `},
	{"FailedToRetrieveImagePullSecret", warning, `Unable to retrieve some image pull secrets \(.+\); ` +
		`attempting to pull the image may not succeed\.`},
	{"ResizeStarted", normal, `Pod resize started: \{.+\}`},
	{"ResizeCompleted", normal, `Pod resize completed: \{.+\}`},
	{"ResizeError", warning, `Pod resize error: \{.+\}`},
	{"ResizeDeferred", warning, `.+`},
	{"ResizeInfeasible", warning, `.+`},
}

// form checks one event. Of a reason that the package does not know, such as that of a refused pod, it knows that the
// message has no verb of a format that got no value.
func (c *checker) form(e timeline.Event) {
	if strings.HasPrefix(e.Message, aggregated) {
		return
	}
	forms := slices.Clone(ofPod)
	var container *corev1.Container
	if e.Path != "" {
		if container = c.at(e.Path); container == nil {
			if c.foreign(e.Container) {
				return
			}
			c.wrong(e.At.At, "event %s is about %s, which the pod does not have", e.Reason, e.Path)
			return
		}
		forms = slices.Concat(ofContainer, ofImage, c.killsOf(container), probesOf(container))
	} else if slices.ContainsFunc(c.Spec.Volumes, func(v corev1.Volume) bool { return v.Image != nil }) {
		forms = append(forms, ofImage...)
	}
	forms = slices.DeleteFunc(forms, func(f form) bool { return f.reason != e.Reason })
	elsewhere := slices.ContainsFunc(slices.Concat(ofPod, ofContainer, ofImage, probeReasons), func(f form) bool {
		return f.reason == e.Reason
	})
	switch {
	case len(forms) == 0 && elsewhere:
		c.wrong(e.At.At, "event %s can't be about %s", e.Reason, pathOf(e))
	case strings.Contains(e.Message, "%!") || e.Message == "":
		c.wrong(e.At.At, "event %s has the message %q", e.Reason, e.Message)
	case len(forms) > 0 && !slices.ContainsFunc(forms, func(f form) bool { return c.fits(e, f, container) }):
		c.wrong(e.At.At, "event %s of type %s has the message %q", e.Reason, e.Type, e.Message)
	}
}

// foreign reports whether the cluster gave the pod a container that its specification in the trial does not have.
func (c *checker) foreign(container string) bool {
	own := slices.ContainsFunc(c.containers(), func(is corev1.Container) bool { return is.Name == container })
	return !own && slices.ContainsFunc(c.Versions, func(v timeline.Version) bool {
		return slices.ContainsFunc(slices.Concat(v.Status.InitContainerStatuses, v.Status.ContainerStatuses),
			func(s corev1.ContainerStatus) bool { return s.Name == container })
	})
}

func pathOf(e timeline.Event) string {
	if e.Path == "" {
		return "the pod"
	}
	return e.Path
}

// at returns the container of a field path, or nil.
func (c *checker) at(path string) *corev1.Container {
	for list, all := range map[string][]corev1.Container{
		"spec.containers": c.Spec.Containers, "spec.initContainers": c.Spec.InitContainers,
	} {
		for i := range all {
			if path == list+"{"+all[i].Name+"}" {
				return &all[i]
			}
		}
	}
	return nil
}

func (c *checker) fits(e timeline.Event, f form, container *corev1.Container) bool {
	message := f.message
	if container != nil {
		message = strings.ReplaceAll(message, "NAME", regexp.QuoteMeta(container.Name))
	}
	var names []string
	for _, one := range c.containers() {
		names = append(names, regexp.QuoteMeta(one.Name))
	}
	for _, v := range c.Versions {
		for _, s := range v.Status.ContainerStatuses {
			if c.foreign(s.Name) {
				names = append(names, regexp.QuoteMeta(s.Name))
			}
		}
	}
	message = strings.ReplaceAll(message, "CONTAINER", "("+strings.Join(names, "|")+")")
	return e.Type == f.kind && regexp.MustCompile(`^(?s:`+message+`)$`).MatchString(e.Message)
}

// killsOf returns the messages of kills (kuberuntime_manager.go computePodActions, computePodResizeAction;
// kuberuntime_container.go computeInitContainerActions, startContainer; kuberuntime_gc.go removeOldestN).
func (c *checker) killsOf(container *corev1.Container) []form {
	again := ", will be restarted"
	switch {
	case container.RestartPolicy != nil:
		again = "(" + again + ")?"
	case c.Spec.RestartPolicy == corev1.RestartPolicyNever:
		again = ""
	}
	begin := "Container"
	if slices.ContainsFunc(c.Spec.InitContainers, func(i corev1.Container) bool { return i.Name == container.Name }) {
		begin, again = "Init container", ""
	}
	messages := []string{
		`Stopping container NAME`, `killing`, `Container NAME resize requires restart`,
		begin + ` NAME definition changed(, will be restarted)?`,
		begin + ` is in "unknown" state, try killing it before restart`,
		`Container is in unknown state, try killing it before removal`,
	}
	if container.LivenessProbe != nil {
		messages = append(messages, begin+` NAME failed liveness probe`+again)
	}
	if container.StartupProbe != nil {
		messages = append(messages, begin+` NAME failed startup probe`+again)
	}
	if container.Lifecycle != nil && container.Lifecycle.PostStart != nil {
		messages = append(messages, `FailedPostStartHook`)
	}
	return []form{{"Killing", normal, strings.Join(messages, "|")}}
}

// probeReasons are the reasons of events that only a container with a probe has.
var probeReasons = []form{{reason: "Killing"}, {reason: "Unhealthy"}, {reason: "ProbeWarning"}}

// probesOf returns the messages of a container's probes (prober/prober.go probe; pkg/probe http, tcp, grpc).
func probesOf(container *corev1.Container) (forms []form) {
	for kind, probe := range probes(container) {
		if probe == nil {
			continue
		}
		failure := `.*`
		switch {
		case probe.HTTPGet != nil:
			failure = `HTTP probe failed with statuscode: \d+|Get "[^"]+": .+`
			forms = append(forms, form{"ProbeWarning", warning,
				kind + ` probe warning: .*`})
		case probe.TCPSocket != nil:
			failure = `dial tcp.*: .+`
		case probe.GRPC != nil:
			failure = `timeout: failed to connect service "[^"]+" within \w+: .+|` +
				`error: failed to connect service at "[^"]+": .+|timeout: health rpc did not complete within \w+|` +
				`error: this server does not implement the grpc health protocol \(grpc\.health\.v1\.Health\): .*|` +
				`error: health rpc probe failed: rpc error: code = ` + otherCodes + ` desc = .*|` +
				`service unhealthy \(responded with "\w+"\)`
		}
		forms = append(forms, form{"Unhealthy", warning,
			kind + ` probe (failed: (` + failure + `)|errored(: | and resulted in \w+ state: ).+)`})
	}
	return forms
}

// otherCodes are the codes of gRPC except OK, Unimplemented and DeadlineExceeded, which have messages of their own.
const otherCodes = `(Canceled|Unknown|InvalidArgument|NotFound|AlreadyExists|PermissionDenied|ResourceExhausted|` +
	`FailedPrecondition|Aborted|OutOfRange|Internal|Unavailable|DataLoss|Unauthenticated|Code\(\d+\))`
