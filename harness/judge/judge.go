// Package judge compares a trial's timeline with the windows that package formula derives, and decides verdicts.
package judge

import (
	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/trial"
)

// Judge compares every claim of a trial with its timeline.
func Judge(t trial.Trial, tl *timeline.Timeline, delays delay.Record, k formula.Kubelet) trial.Result {
	return trial.Judge(t, tl, delays, k)
}
