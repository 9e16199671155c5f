package trial

import (
	"encoding/json"
	"time"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
)

// Outcome is one trial on one subject.
type Outcome struct {
	Trial   string `json:"trial"`
	About   string `json:"about"`
	Subject string `json:"subject"`
	// Verdict is that of the last attempt; inconclusive when there was none.
	Verdict Verdict `json:"verdict"`
	// Why is the reason of a verdict that no finding explains: the trial never ran.
	Why string `json:"why,omitempty"`
	// CutShort says that the run ended before the trial did: it was interrupted, or its cluster could not
	// be reached any more. That it is inconclusive then says nothing of what was measured.
	CutShort bool      `json:"cutShort,omitempty"`
	Attempts []Attempt `json:"attempts,omitempty"`
}

// Attempt is one run of a trial's pod.
type Attempt struct {
	// Started is when its pod was created, Took how long it then took to the last fact that its claims
	// need. In the virtual lane it is real time from the start of the attempt's own node to its end.
	Started time.Time     `json:"started"`
	Took    time.Duration `json:"took"`
	// Virtual is the virtual time from the pod's creation to the last fact, which is what Took is in the
	// node lane, where it is 0.
	Virtual time.Duration `json:"virtual,omitempty"`
	// Node is where it ran, Kubelet what was measured there; zero in a saved run where it is the subject's,
	// as everywhere but on a tuned worker.
	Node     string            `json:"node,omitempty"`
	Kubelet  formula.Kubelet   `json:"kubelet,omitzero"`
	Evidence timeline.Evidence `json:"evidence"`
	Result   Result            `json:"result"`
	// Deviation is what surrounded an attempt that deviates; nil for every other one.
	Deviation *Deviation `json:"deviation,omitempty"`
}

// Deviation is what a reader wants to see of a deviating attempt beside its evidence. Nothing of it is judged.
type Deviation struct {
	// Pods are the trial's pods as they were deployed (core/v1 Pod), the trial's own first. Their status is
	// that of their creation.
	Pods []json.RawMessage `json:"pods,omitempty"`
	// NodeLog is what the node's kubelet and container runtime logged between the attempt's start and end,
	// line by line as it stands in the journal; of a virtual node, what its kubelet logged.
	NodeLog []string `json:"nodeLog,omitempty"`
	// Missing says what could not be had of it and why, empty when all is here.
	Missing string `json:"missing,omitempty"`
}

// Last is the outcome's last attempt, nil when there was none.
func (o Outcome) Last() *Attempt {
	if len(o.Attempts) == 0 {
		return nil
	}
	return &o.Attempts[len(o.Attempts)-1]
}

// Took is the time from the first attempt's start to the last one's end.
func (o Outcome) Took() time.Duration {
	if len(o.Attempts) == 0 {
		return 0
	}
	last := o.Last()
	return last.Started.Add(last.Took).Sub(o.Attempts[0].Started)
}

// Reason is why the outcome is what it is, in one line: that of the first finding with its verdict, else
// the first doubt. It is empty where nothing needs a reason.
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
