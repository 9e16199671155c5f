package cri

import (
	"encoding/json"

	criapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/podclock/podclock/harness/virtual/wire"
)

// entry returns a call's entry in the journal.
func entry(what string, arguments any) wire.Entry {
	text, err := json.Marshal(arguments)
	if err != nil {
		text = []byte(err.Error())
	}
	return wire.Entry{Kind: wire.KindCRI, What: what, Text: string(text)}
}

func podOf(config *criapi.PodSandboxConfig) string {
	return config.GetMetadata().GetNamespace() + "/" + config.GetMetadata().GetName()
}

func ofPod(what string, config *criapi.PodSandboxConfig, arguments any) wire.Entry {
	e := entry(what, arguments)
	e.Pod = podOf(config)
	return e
}

// ofSandbox returns an entry with the pod of a sandbox that was not removed.
func (c *Connection) ofSandbox(what, id string, arguments any) wire.Entry {
	if s, err := c.runtime.sandbox(id); err == nil {
		return ofPod(what, s.config, []any{id, arguments})
	}
	return entry(what, []any{id, arguments})
}

// ofContainer returns an entry with the pod and name of a container that was not removed.
func (c *Connection) ofContainer(what, id string, arguments any) wire.Entry {
	known, err := c.runtime.container(id)
	if err != nil {
		return entry(what, []any{id, arguments})
	}
	e := ofPod(what, known.sandbox.config, []any{id, arguments})
	e.Container = known.config.GetMetadata().GetName()
	return e
}

// toCreate writes the values of environment variables as text. In newer patch releases they are bytes, and the same on
// the wire (kubernetes PR 139168).
func (c *Connection) toCreate(sandbox string, config *criapi.ContainerConfig) wire.Entry {
	type variable struct{ Key, Value string }
	arguments := struct {
		*criapi.ContainerConfig
		Envs []variable `json:"envs,omitempty"`
	}{ContainerConfig: config}
	for _, env := range config.GetEnvs() {
		arguments.Envs = append(arguments.Envs, variable{env.GetKey(), string(env.GetValue())})
	}
	e := c.ofSandbox("CreateContainer", sandbox, arguments)
	e.Container = config.GetMetadata().GetName()
	return e
}
