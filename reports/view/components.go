package view

import (
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
)

// modelled says whether the virtual lane has a model in the place of a component. Its kubelet and its
// controllers are the real ones.
func modelled(c formula.Component) bool { return c != formula.TheKubelet && c != formula.Controller }

// OfModel reports whether a claim is about a model: a rule of a container runtime or an API server in the
// virtual lane.
func OfModel(s run.Subject, f trial.Finding) bool {
	return s.RanIn() == run.VirtualLane && modelled(f.Of)
}

// ClaimName returns the claim's name, marked if the claim is about a model.
func ClaimName(s run.Subject, f trial.Finding) string {
	if OfModel(s, f) {
		return f.Claim + " (model)"
	}
	return f.Claim
}
