package soak

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
)

// Told is a trial in plain values, to compare trials by: functions can't be compared.
type Told struct {
	Source        string
	Pod           *corev1.Pod
	Cues, Claims  []string
	Worker        *trial.Worker
	Needs         []formula.Change
	Killed, Lasts string
}

// Tell tells a trial.
func Tell(t trial.Trial) Told {
	source, _ := Source(t) // without it the others tell enough
	told := Told{
		Source: source,
		Pod:    t.Pod,
		Worker: t.Worker,
		Needs:  t.Needs,
		Killed: string(t.KillCause),
		Lasts:  t.Lasts.String(),
	}
	for _, c := range t.Cues {
		grace := "none"
		if c.GracePeriodSeconds != nil {
			grace = fmt.Sprint(*c.GracePeriodSeconds)
		}
		told.Cues = append(told.Cues, fmt.Sprint(c.Action, " ", grace, " ", c.When, " ", c.After))
	}
	for _, c := range t.Claims {
		told.Claims = append(told.Claims, fmt.Sprint(c.ID(), " ", c.Formula.ID, " ", c.KillCause))
	}
	return told
}
