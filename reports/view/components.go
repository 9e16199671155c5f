package view

import (
	"fmt"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
)

// modelled says whether the virtual lane has a model in the place of a component. Its kubelet and its
// controllers are the real ones.
func modelled(c formula.Component) bool { return c != formula.TheKubelet && c != formula.Controller }

// Model marks what was measured of a model, and is empty for all else: a rule of a runtime or an API server
// in the virtual lane.
func Model(s run.Subject, f trial.Finding) string {
	if s.RanIn() == run.VirtualLane && modelled(f.Of) {
		return " (model)"
	}
	return ""
}

// models says how many of the virtual lane's claims are about models.
func (f VirtualFigures) models() string {
	return fmt.Sprintf(
		"%d of its %s speak of the container runtime or the API server, of which it has models only: in the lists of claims they are marked (model).",
		f.Modelled,
		run.Plural(f.Claims, "claim"),
	)
}
