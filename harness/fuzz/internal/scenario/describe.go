package scenario

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// description is a trial as values that YAML can hold.
type description struct {
	Pod      *corev1.Pod    `json:"pod"`
	Worker   *trial.Worker  `json:"worker,omitempty"`
	Needs    []string       `json:"needs,omitempty"`
	Faults   []fault        `json:"cues,omitempty"`
	KilledBy formula.Cause  `json:"killedBy,omitempty"`
	Lasts    string         `json:"lasts"`
	Claims   []claimFormula `json:"claims"`
}

type fault struct {
	Action             trial.Action `json:"action"`
	GracePeriodSeconds *int64       `json:"gracePeriodSeconds,omitempty"`
	When               string       `json:"when,omitempty"`
	After              string       `json:"after"`
}

type claimFormula struct {
	ID       string        `json:"id"`
	Formula  string        `json:"formula"`
	KilledBy formula.Cause `json:"killedBy,omitempty"`
}

// Describe returns a trial as YAML: its pod, its faults, and its claims with their formulas. Scenarios with equal
// descriptions are the same scenario.
func Describe(t trial.Trial) (string, error) {
	d := description{Pod: t.Pod, Worker: t.Worker, KilledBy: t.KillCause, Lasts: t.Lasts.String()}
	for _, change := range t.Needs {
		d.Needs = append(d.Needs, change.Name)
	}
	for _, c := range t.Faults {
		d.Faults = append(d.Faults, fault{c.Action, c.GracePeriodSeconds, c.When.String(), c.After.String()})
	}
	for _, c := range t.Claims {
		d.Claims = append(d.Claims, claimFormula{c.ID(), c.Formula.ID, c.KillCause})
	}
	text, err := yaml.Marshal(d)
	if err != nil {
		return "", fmt.Errorf("write trial %s as YAML: %w", t.ID, err)
	}
	return string(text), nil
}
