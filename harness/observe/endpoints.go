package observe

import (
	"maps"
	"slices"

	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// endpoints are which pods are ready in which EndpointSlices.
type endpoints struct {
	// slices has the pods of each slice that are ready, by UID.
	slices map[string]map[string]bool
	// of has the slices of each pod.
	of map[string]map[string]*membership
}

// membership is a pod in an EndpointSlice.
type membership struct {
	service string
	// left is when the pod was not ready any more, nil while it is.
	left *Instant
}

// take takes the next version of an EndpointSlice, which has no endpoints if it is removed.
func (e *endpoints) take(s *discoveryv1.EndpointSlice, removed bool, seen Seen) {
	name, ready := s.Namespace+"/"+s.Name, map[string]bool{}
	for _, one := range s.Endpoints {
		if removed || one.TargetRef == nil || one.TargetRef.Kind != "Pod" {
			continue
		}
		// A missing condition means ready (k8s.io/api/discovery/v1 EndpointConditions).
		if r := one.Conditions.Ready; r == nil || *r {
			ready[string(one.TargetRef.UID)] = true
		}
	}
	for uid := range ready {
		if e.of[uid] == nil {
			e.of[uid] = map[string]*membership{}
		}
		e.of[uid][name] = &membership{service: s.Labels[discoveryv1.LabelServiceName]}
	}
	for uid := range e.slices[name] {
		if !ready[uid] {
			e.of[uid][name].left = new(seen.arrived(metav1.Time{}))
		}
	}
	e.slices[name] = ready
}

// since returns the Services that had a pod at an instant, and how long they kept it.
func (e *endpoints) since(uid string, from Instant) []Service {
	found := map[string]Service{}
	for _, m := range e.of[uid] {
		if m.left != nil && m.left.Latest.Before(from.Earliest) {
			continue
		}
		s, is := found[m.service]
		if is && (s.Left == nil || m.left != nil && m.left.Latest.Before(s.Left.Latest)) {
			continue
		}
		s = Service{Name: m.service, Left: m.left}
		if m.left != nil {
			s.Stayed = m.left.Since(from)
			// The pod is shown as deleted before its endpoint is: both came by watches of one API server.
			s.Stayed.Least, s.Stayed.Probably = max(0, s.Stayed.Least), max(0, s.Stayed.Probably)
		}
		found[m.service] = s
	}
	all := make([]Service, 0, len(found))
	for _, name := range slices.Sorted(maps.Keys(found)) {
		all = append(all, found[name])
	}
	return all
}
