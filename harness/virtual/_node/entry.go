package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/virtual/wire"
)

// marked returns the entry of a mark in the journal. Numbers that count all marks of the node are not part of it.
func marked(m mark.Record) wire.Entry {
	e := wire.Entry{Kind: wire.KindMark, Pod: m.Pod, Container: m.Container, What: string(m.Kind)}
	if m.Role != "" {
		e.Text = fmt.Sprintf("%s of life %d", m.Role, m.Life)
	}
	if detail, err := json.Marshal(m.Detail); err == nil && string(detail) != "{}" {
		e.Text += " " + string(detail)
	}
	return e
}

// did returns the entry of a request that does something, or nothing.
func did(r wire.Request) (e wire.Entry, ok bool) {
	e.Kind = wire.KindLane
	switch {
	case r.Create != nil:
		e.What, e.Pod = "create pods", r.Create.Namespace+"/"+r.Create.Name
	case r.API != nil:
		e.What, e.Text = r.API.Method+" "+r.API.Resource, string(r.API.Body)
		if r.API.Subresource != "" {
			e.What += "/" + r.API.Subresource
		}
		if r.API.Namespace != "" {
			e.Pod = r.API.Namespace + "/" + r.API.Name
		}
	case r.Manifest != nil && r.Manifest.Pod == nil:
		e.What, e.Text = "remove a manifest", r.Manifest.Name
	case r.Manifest != nil:
		e.What, e.Text = "place a manifest", r.Manifest.Name
	case r.Restart != nil && r.Restart.Reboot:
		e.What = "reboot"
	case r.Restart != nil:
		e.What = "restart the kubelet"
	case r.Runtime != nil && r.Runtime.Removes != "":
		e.What, e.Container = "remove dead containers", r.Runtime.Removes
	case r.Runtime != nil:
		e.What, e.Text = "fail calls", r.Runtime.Fails
	case r.CutOff > 0:
		e.What, e.Text = "cut the kubelet off", r.CutOff.String()
	case r.ShutDown:
		e.What = "shut the node down"
	default:
		return e, false
	}
	return e, true
}

// versionOf returns the entry of a new version of a pod: what the API server made of a request, which the request does
// not show.
func versionOf(p wire.Pod) wire.Entry {
	e := wire.Entry{Kind: wire.KindObject, Pod: p.Pod.Namespace + "/" + p.Pod.Name, What: "pods"}
	if p.Deleted {
		e.What = "deleted pods"
	}
	if until := p.Pod.DeletionTimestamp; until != nil {
		e.Text = fmt.Sprintf("deletionTimestamp %s", until.UTC().Format(time.RFC3339))
		if grace := p.Pod.DeletionGracePeriodSeconds; grace != nil {
			e.Text += fmt.Sprintf(", deletionGracePeriodSeconds %d", *grace)
		}
	}
	return e
}
