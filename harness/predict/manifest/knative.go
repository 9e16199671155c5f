package manifest

import (
	"fmt"
	"maps"
	"slices"
)

// Knative is the API group of Knative Serving.
const Knative = "serving.knative.dev"

// RevisionTimeout is the field whose value a revision's pods have as terminationGracePeriodSeconds.
const RevisionTimeout = "timeoutSeconds"

// The defaults of a revision (config/core/configmaps/defaults.yaml), and the ports of its queue-proxy
// (pkg/networking/constants.go).
const (
	revisionTimeout = 300
	userPort        = 8080
	queueAdminPort  = 8022
	queuePort       = 8012
)

// revision returns the pod template that Knative makes of a revision's: the grace period is the revision's timeout,
// each container gets a preStop hook that waits until the queue-proxy has no request left, and the queue-proxy carries
// out readiness probes, except commands (knative/serving pkg/reconciler/revision/resources/deploy.go BuildPodSpec,
// makeContainer, makeServingContainer; queue.go makeQueueContainer; pkg/apis/serving/v1/revision_defaults.go). What is
// no template stays as it is.
func revision(template any) any {
	fields, is := template.(map[string]any)
	spec, has := fields["spec"].(map[string]any)
	containers, some := spec["containers"].([]any)
	if !is || !has || !some {
		return template
	}
	fields, spec = maps.Clone(fields), maps.Clone(spec)
	fields["spec"] = spec
	spec["terminationGracePeriodSeconds"] = revisionTimeout
	if s := spec[RevisionTimeout]; s != nil {
		spec["terminationGracePeriodSeconds"] = s
	}
	for _, own := range []string{
		RevisionTimeout, "containerConcurrency", "responseStartTimeoutSeconds", "idleTimeoutSeconds",
	} {
		delete(spec, own)
	}
	queue := map[string]any{"name": "queue-proxy", "image": "queue-proxy"}
	all := named(containers, "user-container")
	for i := range all {
		if c, is := all[i].(map[string]any); is {
			all[i] = served(c, len(all), queue)
		}
	}
	spec["containers"] = append(all, queue)
	if init, some := spec["initContainers"].([]any); some {
		spec["initContainers"] = named(init, "init-container")
	}
	return fields
}

// named returns containers, those without a name with the default one, and numbers if there are several.
func named(containers []any, name string) []any {
	all, n := slices.Clone(containers), 0
	for i := range all {
		c, is := all[i].(map[string]any)
		if !is || c["name"] != nil {
			continue
		}
		c = maps.Clone(c)
		c["name"] = name
		if len(all) > 1 {
			c["name"] = fmt.Sprintf("%s-%d", name, n)
			n++
		}
		all[i] = c
	}
	return all
}

// served returns one container of a revision's pods, and moves its readiness probe to the queue-proxy.
func served(container map[string]any, of int, queue map[string]any) map[string]any {
	c := maps.Clone(container)
	c["lifecycle"] = map[string]any{"preStop": map[string]any{
		"httpGet": map[string]any{"path": "/wait-for-drain", "port": queueAdminPort},
	}}
	ports, _ := c["ports"].([]any)
	port := any(userPort)
	if len(ports) > 0 {
		if p, is := ports[0].(map[string]any); is && p["containerPort"] != nil {
			port = p["containerPort"]
		}
	}
	probe, _ := c["readinessProbe"].(map[string]any)
	if of == 1 || len(ports) > 0 {
		moved := map[string]any{}
		maps.Copy(moved, probe)
		for _, handler := range []string{"exec", "httpGet", "tcpSocket", "grpc"} {
			delete(moved, handler)
		}
		moved["httpGet"] = map[string]any{"port": queuePort}
		queue["readinessProbe"] = moved
		withPort(c, port)
	}
	if probe["exec"] == nil {
		delete(c, "readinessProbe")
	}
	return c
}

// withPort replaces the port of the liveness probe, as Knative does.
func withPort(c map[string]any, port any) {
	const probe = "livenessProbe"
	p, _ := c[probe].(map[string]any)
	for _, kind := range []string{"httpGet", "tcpSocket"} {
		if handler, is := p[kind].(map[string]any); is {
			handler, p = maps.Clone(handler), maps.Clone(p)
			handler["port"], p[kind], c[probe] = port, handler, p
		}
	}
}
