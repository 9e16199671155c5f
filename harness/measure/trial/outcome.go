package trial

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Outcome is one trial on one subject.
type Outcome struct {
	Trial   string `json:"trial"`
	About   string `json:"about"`
	Subject string `json:"subject"`
	// Setup is that of the trial that ran ([Trial.Setup]). Runs of older revisions lack it.
	Setup   string  `json:"setup,omitempty"`
	Verdict Verdict `json:"verdict"`
	// Why is the reason of a verdict that no finding explains.
	Why string `json:"why,omitempty"`
	// Kept is why a run that was judged again has its saved verdict of this trial, or empty.
	Kept string `json:"kept,omitempty"`
	// CutShort means that the run was interrupted, or lost its cluster or a node of others, before the trial ended.
	CutShort bool      `json:"cutShort,omitempty"`
	Attempts []Attempt `json:"attempts,omitempty"`
}

// Attempt is one try of a trial.
type Attempt struct {
	// Started is when the pod was created, Took the time to the last fact: both real times.
	Started time.Time     `json:"started"`
	Took    time.Duration `json:"took"`
	// Virtual is the same in virtual time, 0 in the node lane.
	Virtual time.Duration `json:"virtual,omitempty"`
	// A saved run omits the subject's ordinary worker.
	Node      string            `json:"node,omitempty"`
	Kubelet   formula.Kubelet   `json:"kubelet,omitzero"`
	Evidence  timeline.Evidence `json:"evidence"`
	Result    Result            `json:"result"`
	Deviation *Deviation        `json:"deviation,omitempty"`
}

// Deviation is what surrounded a deviating attempt. The judge does not use it.
type Deviation struct {
	// Pods are the trial's pods (core/v1 Pod) as they were created, the Pod first.
	Pods []json.RawMessage `json:"pods,omitempty"`
	// NodeLog is what the node's kubelet and container runtime logged; in the virtual lane, the kubelet alone.
	NodeLog []string `json:"nodeLog,omitempty"`
	Missing string   `json:"missing,omitempty"`
}

// Last returns the last attempt with the outcome's verdict, else the last attempt, or nil.
func (o Outcome) Last() *Attempt {
	for i := range slices.Backward(o.Attempts) {
		if o.Attempts[i].Result.Verdict == o.Verdict {
			return &o.Attempts[i]
		}
	}
	if len(o.Attempts) == 0 {
		return nil
	}
	return &o.Attempts[len(o.Attempts)-1]
}

// Took returns the time from the first attempt's start to the last one's end.
func (o Outcome) Took() time.Duration {
	if len(o.Attempts) == 0 {
		return 0
	}
	last := o.Attempts[len(o.Attempts)-1]
	return last.Started.Add(last.Took).Sub(o.Attempts[0].Started)
}

// Reason returns the verdict's reason in one line: of the first finding with that verdict, else the first doubt.
func (o Outcome) Reason() string {
	last := o.Last()
	if last == nil {
		return ""
	}
	for _, f := range last.Result.Findings {
		if f.Verdict == o.Verdict && f.Why != "" {
			return f.Claim + ": " + f.Why
		}
	}
	if len(last.Result.Doubts) > 0 {
		return last.Result.Doubts[0]
	}
	return ""
}
