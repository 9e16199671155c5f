package api

import (
	"encoding/json"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/testing"

	"github.com/podclock/podclock/harness/virtual/wire"
)

// entryOf returns a request's entry in the journal. An event is an entry of its own kind.
func entryOf(by string, action testing.Action) wire.Entry {
	e := wire.Entry{Kind: wire.KindAPI, By: by, What: action.GetVerb() + " " + action.GetResource().Resource}
	if sub := action.GetSubresource(); sub != "" {
		e.What += "/" + sub
	}
	name := ""
	switch a := action.(type) {
	case testing.CreateActionImpl:
		name, e.Text = nameOf(a.GetObject()), text(a.GetObject())
		if event, ok := a.GetObject().(*corev1.Event); ok {
			return eventOf(by, event)
		}
	case testing.UpdateActionImpl:
		name, e.Text = nameOf(a.GetObject()), text(a.GetObject())
	case testing.PatchActionImpl:
		name, e.Text = a.GetName(), string(a.GetPatch())
		if action.GetResource().Resource == "events" {
			e.Kind, name = wire.KindEvent, ""
		}
	case testing.DeleteActionImpl:
		name, e.Text = a.GetName(), text(a.DeleteOptions)
	case testing.GetActionImpl:
		name = a.GetName()
	case testing.ListActionImpl:
		e.Text = selected(a.ListRestrictions)
	case testing.WatchActionImpl:
		e.Text = a.WatchRestrictions.Fields.String()
	}
	if namespace := action.GetNamespace(); namespace != "" && name != "" {
		name = namespace + "/" + name
	}
	if action.GetResource() == podsResource {
		e.Pod = name
	} else {
		e.Text = strings.TrimSpace(name + " " + e.Text)
	}
	return e
}

func eventOf(by string, event *corev1.Event) wire.Entry {
	about := event.InvolvedObject
	e := wire.Entry{
		Kind: wire.KindEvent, By: by, What: event.Reason, Text: event.Type + ": " + event.Message,
	}
	if about.Kind == "Pod" {
		e.Pod = about.Namespace + "/" + about.Name
	}
	_, container, _ := strings.Cut(about.FieldPath, "{")
	e.Container = strings.TrimSuffix(container, "}")
	return e
}

func selected(r testing.ListRestrictions) string {
	var all []string
	if r.Fields != nil && !r.Fields.Empty() {
		all = append(all, r.Fields.String())
	}
	if r.Labels != nil && !r.Labels.Empty() {
		all = append(all, r.Labels.String())
	}
	return strings.Join(all, " ")
}

func nameOf(o runtime.Object) string {
	if named, ok := o.(interface{ GetName() string }); ok {
		return named.GetName()
	}
	return ""
}

func text(o any) string {
	data, err := json.Marshal(o)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
