package markdown

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/view"
)

// Deviation writes everything that the run has about an outcome's last attempt: the measurements and what the
// code computes, the timeline, the pods, and the node's log.
func Deviation(w io.Writer, r run.Run, o run.Outcome) error {
	last := o.Last()
	if last == nil {
		return fmt.Errorf("writing the deviation of %s on %s: it never ran", o.Trial, o.Subject)
	}
	d := &Document{}
	d.Line("# %s on %s: %s", o.Trial, o.Subject, o.Verdict)
	d.Line("\n%s", o.About)
	d.Line("")
	d.attempt(r, o)
	zero := view.Origin(last.Evidence)
	d.claims(last.Result, zero)
	d.timeline(*last, zero, r.DelaysOf(r.RanOn(o, *last)))
	d.pods(last.Deviation)
	d.nodeLog(last.Deviation)
	return view.WriteAll(w, fmt.Sprintf("the deviation of %s on %s", o.Trial, o.Subject), &d.b)
}

// attempt describes the attempt and where it ran.
func (d *Document) attempt(r run.Run, o run.Outcome) {
	last := o.Last()
	d.Line("- run %s, podclock %s", r.ID, r.Environment.Podclock)
	if r.Subject(o.Subject).RanIn() == run.VirtualLane {
		d.Line("- lane %s, %s of virtual time. %s", run.VirtualLane, last.Virtual.Round(time.Millisecond),
			view.VirtualLimits)
	}
	d.Line("- pod %s (%s) on node %s", last.Evidence.Pod, last.Evidence.UID, r.RanOn(o, *last))
	k := r.KubeletOf(o, *last)
	extrapolated := ""
	if last.Result.Extrapolated {
		extrapolated = ". " + view.Extrapolation
	}
	d.Line("- kubelet %s%s", k.Version, extrapolated)
	k.Gates = nil // hundreds of gates, which run.json has
	if settings, err := json.Marshal(k); err == nil {
		d.Line("- what the formulas know of it: `%s`", settings)
	}
	d.Line("- attempt %d, started %s, took %s", len(o.Attempts), last.Started.UTC().Format(time.RFC3339Nano),
		view.FormatDuration(last.Took))
}

// claims lists every claim in full, deviations first.
func (d *Document) claims(r trial.Result, zero int64) {
	d.Line("\n## Claims\n")
	for _, deviating := range []bool{true, false} {
		for _, f := range r.Findings {
			if (f.Verdict == trial.Deviates) == deviating {
				d.claim(f, zero)
			}
		}
	}
	for _, doubt := range r.Doubts {
		d.Line("- doubt: %s", doubt)
	}
}

func (d *Document) claim(f trial.Finding, zero int64) {
	d.Line("- **%s**: %s", f.Claim, f.Verdict)
	item := func(name, text string) {
		if text != "" {
			d.Line("  - %s: %s", name, text)
		}
	}
	if f.Verdict != trial.Conforms {
		item("why", f.Why)
	}
	value := view.FormatMeasured(f)
	if m := f.Measured; m != nil {
		value += fmt.Sprintf(", from %s to %s ms of the timeline", view.Offset(m.From, zero), view.Offset(m.To, zero))
	}
	item("measured", value)
	item("the code computes", f.Implemented.String()+" = "+f.Implemented.Explain())
	if f.Documented != nil {
		item("documented", f.Documented.String()+" = "+f.Documented.Explain())
	}
	if f.Verdict == trial.Conforms {
		return
	}
	item("formula", f.Formula+": "+f.Description)
	item("source", f.Source)
	item("a rule of the", string(f.Of))
	if f.Delay > 0 {
		item("the node delayed work by", f.Delay.String())
	}
	if f.Diagnosis != nil {
		item("diagnosis", view.AsIf(*f.Diagnosis)+", "+view.WouldBe(*f.Diagnosis))
	}
}

// timeline writes everything that was recorded, in the order of its times.
func (d *Document) timeline(a run.Attempt, zero int64, delays delay.Record) {
	d.Line("\n## Timeline\n")
	if zero == 0 {
		d.Line("Nothing was recorded.")
		return
	}
	d.Line("In milliseconds since %s on the node's recorder's clock; what has an observer's error shows it.\n",
		time.Unix(0, zero).UTC().Format(time.RFC3339Nano))
	var lines []string
	for _, e := range view.Entries(a.Evidence, delays) {
		lines = append(lines, e.Line(zero))
	}
	d.fenced("", strings.Join(lines, "\n"))
	if a.Evidence.Cut != "" {
		d.Line("\nThe recording ended early: %s", a.Evidence.Cut)
	}
	d.Line("\nEverything up to %s ms is known.", view.Offset(a.Evidence.Known, zero))
}

// pods writes the pods as they were created, without the API server's additions. A pod that cannot be read
// becomes a line, and the rest follows.
func (d *Document) pods(deviation *trial.Deviation) {
	d.Line("\n## Pods\n")
	if deviation == nil || len(deviation.Pods) == 0 {
		d.Line("They were not saved%s.", why(deviation))
		return
	}
	for i, raw := range deviation.Pods {
		spec, err := deployed(raw)
		if err != nil {
			d.Line("Pod %d can't be read: %v.", i+1, err)
			continue
		}
		d.fenced("yaml", spec)
	}
}

// deployed returns a pod in YAML without its status and its managed fields.
func deployed(raw json.RawMessage) (string, error) {
	var pod map[string]any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&pod); err != nil {
		return "", err
	}
	if pod == nil {
		return "", errors.New("it is null")
	}
	delete(pod, "status")
	pod["apiVersion"], pod["kind"] = "v1", "Pod" // a client omits them from what it reads
	if metadata, ok := pod["metadata"].(map[string]any); ok {
		delete(metadata, "managedFields")
	}
	text, err := yaml.Marshal(pod)
	return string(text), err
}

func (d *Document) nodeLog(deviation *trial.Deviation) {
	d.Line("\n## The node's log\n")
	switch {
	case deviation == nil || len(deviation.NodeLog) == 0 && deviation.Missing != "":
		d.Line("It was not saved%s.", why(deviation))
	case len(deviation.NodeLog) == 0:
		d.Line("It does not mention these pods.")
	default:
		d.fenced("", strings.Join(deviation.NodeLog, "\n"))
	}
}

// why returns why something was not saved, "" if that is unknown.
func why(deviation *trial.Deviation) string {
	if deviation == nil || deviation.Missing == "" {
		return ""
	}
	return ": " + deviation.Missing
}
