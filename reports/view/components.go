package view

import (
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// modelled reports whether the virtual lane replaces a component by a model. Its kubelet and controllers are
// real.
func modelled(c formula.Component) bool { return c != formula.TheKubelet && c != formula.Controller }

// OfModel reports whether a claim is about a model, that is, a rule of the virtual lane's container runtime or
// API server.
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
