package virtual

import (
	"encoding/json"
	"strings"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/virtual/wire"
)

// callsOf returns the kubelet's calls that change something, by the namespace/name of their pod.
func callsOf(entries []wire.Entry) map[string][]timeline.Call {
	all := map[string][]timeline.Call{}
	for _, e := range entries {
		c := timeline.Call{At: e.At, Container: e.Container, What: e.What, Error: e.Error}
		switch {
		case e.By != "":
			continue
		case e.Kind == wire.KindAPI && (e.What == "patch pods/status" || e.What == "create pods"):
		case e.Kind == wire.KindAPI && e.What == "delete pods", e.Kind == wire.KindCRI && e.What == "RunPodSandbox":
			c.Argument = json.RawMessage(e.Text)
		case e.Kind == wire.KindCRI && changes(e.What):
			var text []json.RawMessage
			if json.Unmarshal([]byte(e.Text), &text) != nil || len(text) != 2 ||
				json.Unmarshal(text[0], &c.Instance) != nil {
				continue
			}
			c.Instance = c.Instance[strings.LastIndex(c.Instance, "/")+1:]
			if string(text[1]) != "null" {
				c.Argument = text[1]
			}
		default:
			continue
		}
		if e.Took == wire.Unanswered {
			c.Error = "not answered"
		}
		all[e.Pod] = append(all[e.Pod], c)
	}
	return all
}

// changes reports whether a call of the runtime changes a container or a sandbox.
func changes(call string) bool {
	switch call {
	case "CreateContainer", "StartContainer", "StopContainer", "RemoveContainer", "StopPodSandbox", "RemovePodSandbox",
		"UpdateContainerResources", "UpdatePodSandboxResources":
		return true
	}
	return false
}
