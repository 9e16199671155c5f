package reports

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
)

// DeviationsFolder is the folder, inside a run's, with one file for every deviating outcome.
const DeviationsFolder = "deviations"

// notInFileName is what a subject's name may hold and a file's name had better not.
var notInFileName = regexp.MustCompile(`[^A-Za-z0-9.+_-]+`)

// DeviationFile is the name of an outcome's file in DeviationsFolder.
func DeviationFile(o Outcome) string {
	return strings.ReplaceAll(o.Trial, "/", "-") + "-" + inFileName(o.Subject) + ".md"
}

// inFileName is a subject's name as a part of a file's. One that has to be changed for it, as that of a
// binary with a path, keeps apart from others by a hash.
func inFileName(subject string) string {
	name := notInFileName.ReplaceAllString(subject, "-")
	if name == subject {
		return name
	}
	sum := sha256.Sum256([]byte(subject))
	return name + "-" + hex.EncodeToString(sum[:4])
}

// WriteDeviations writes a file for every deviating outcome of a run into DeviationsFolder of the run's
// folder. A run without deviations gets no such folder.
func WriteDeviations(dir string, r Run) error {
	folder := filepath.Join(dir, DeviationsFolder)
	for _, o := range r.Outcomes {
		if o.Verdict != trial.Deviates || o.Last() == nil {
			continue
		}
		var text bytes.Buffer
		if err := RenderDeviation(&text, r, o); err != nil {
			return err
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return fmt.Errorf(
				"creating the folder of the deviations of run %s (is the disk full, or the folder read-only?): %w",
				r.ID,
				err,
			)
		}
		path := filepath.Join(folder, DeviationFile(o))
		if err := Replace(path, text.Bytes()); err != nil {
			return fmt.Errorf(
				"saving the deviation of %s on %s to %s (is the disk full?): %w",
				o.Trial,
				o.Subject,
				path,
				err,
			)
		}
	}
	return nil
}

// RenderDeviation writes, as Markdown, everything that the run has on an outcome's last attempt: what was
// measured and what the code computes, the timeline, the pods, and the node's log.
func RenderDeviation(w io.Writer, r Run, o Outcome) error {
	last := o.Last()
	if last == nil {
		return fmt.Errorf("writing the deviation of %s on %s: it never ran", o.Trial, o.Subject)
	}
	d := &document{}
	d.line("# %s on %s: %s", o.Trial, o.Subject, o.Verdict)
	d.line("\n%s", o.About)
	d.line("")
	d.attempt(r, o)
	zero := origin(last.Evidence)
	d.claims(last.Result, zero)
	d.timeline(*last, zero, r.noise(r.ranOn(o, *last)))
	d.pods(last.Deviation)
	d.nodeLog(last.Deviation)
	if _, err := io.WriteString(w, d.b.String()); err != nil {
		return fmt.Errorf("writing the deviation of %s on %s: %w", o.Trial, o.Subject, err)
	}
	return nil
}

// document is Markdown in the making.
type document struct{ b strings.Builder }

func (d *document) line(format string, args ...any) { fmt.Fprintf(&d.b, format+"\n", args...) }

// fenced writes text as it is.
func (d *document) fenced(language string, text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	d.line("%s%s\n%s\n%s", fence, language, strings.TrimRight(text, "\n"), fence)
}

// attempt says what ran where.
func (d *document) attempt(r Run, o Outcome) {
	last := o.Last()
	d.line("- run %s, podclock %s", r.ID, r.Environment.Podclock)
	if r.subject(o.Subject).lane() == VirtualLane {
		d.line("- lane %s, %s of virtual time. %s", VirtualLane, last.Virtual.Round(time.Millisecond), virtualLimits)
	}
	d.line("- pod %s (%s) on node %s", last.Evidence.Pod, last.Evidence.UID, r.ranOn(o, *last))
	k := r.kubeletOf(o, *last)
	extrapolated := ""
	if last.Result.Extrapolated {
		extrapolated = fmt.Sprintf(
			", extrapolated: the formulas are known to hold from %s to %s",
			formula.OldestKnown,
			formula.NewestKnown,
		)
	}
	d.line("- kubelet %s%s", k.Version, extrapolated)
	k.Gates = nil // hundreds, which run.json has
	if settings, err := json.Marshal(k); err == nil {
		d.line("- what the formulas know of it: `%s`", settings)
	}
	d.line(
		"- attempt %d, started %s, took %s",
		len(o.Attempts),
		last.Started.UTC().Format(time.RFC3339Nano),
		short(last.Took),
	)
}

// claims spells out every claim, those that deviate first.
func (d *document) claims(r trial.Result, zero int64) {
	d.line("\n## Claims\n")
	for _, deviating := range []bool{true, false} {
		for _, f := range r.Findings {
			if (f.Verdict == trial.Deviates) == deviating {
				d.claim(f, zero)
			}
		}
	}
	for _, doubt := range r.Doubts {
		d.line("- doubt: %s", doubt)
	}
}

func (d *document) claim(f trial.Finding, zero int64) {
	d.line("- **%s**: %s", f.Claim, f.Verdict)
	item := func(name, text string) {
		if text != "" {
			d.line("  - %s: %s", name, text)
		}
	}
	if f.Verdict != trial.Conforms {
		item("why", f.Why)
	}
	value := measured(f)
	if m := f.Measured; m != nil {
		value += fmt.Sprintf(", from %s to %s ms of the timeline", offset(m.From, zero), offset(m.To, zero))
	}
	item("measured", value)
	item("the code computes", f.Implemented.String()+" = "+f.Implemented.Explain())
	if f.Documented != nil {
		item("documented", f.Documented.String()+" = "+f.Documented.Explain())
	}
	if f.Verdict == trial.Conforms {
		return
	}
	item("formula", f.Formula+": "+f.Says)
	item("source", f.Source)
	item("a rule of the", string(f.Of))
	if f.Delay > 0 {
		item("the node kept work waiting", f.Delay.String())
	}
	if f.Diagnosis != nil {
		item("diagnosis", asIf(*f.Diagnosis)+", "+wouldBe(*f.Diagnosis))
	}
}

// timeline writes everything that was recorded, in the order of its times.
func (d *document) timeline(a Attempt, zero int64, noise delay.Record) {
	d.line("\n## Timeline\n")
	if zero == 0 {
		d.line("Nothing was recorded.")
		return
	}
	d.line(
		"In milliseconds since %s on the node's recorder's clock; what has an observer's error shows it.\n",
		time.Unix(0, zero).UTC().Format(time.RFC3339Nano),
	)
	var lines []string
	for _, e := range entries(a.Evidence, noise) {
		lines = append(lines, e.line(zero))
	}
	d.fenced("", strings.Join(lines, "\n"))
	if a.Evidence.Cut != "" {
		d.line("\nThe recording ended early: %s", a.Evidence.Cut)
	}
	d.line("\nEverything up to %s ms is known.", offset(a.Evidence.Known, zero))
}

// pods writes the pods as they were deployed, without what the API server keeps about them. One that can't
// be read keeps nothing else from the reader.
func (d *document) pods(deviation *trial.Deviation) {
	d.line("\n## Pods\n")
	if deviation == nil || len(deviation.Pods) == 0 {
		d.line("They were not saved%s.", why(deviation))
		return
	}
	for i, raw := range deviation.Pods {
		spec, err := deployed(raw)
		if err != nil {
			d.line("Pod %d can't be read: %v.", i+1, err)
			continue
		}
		d.fenced("yaml", spec)
	}
}

// deployed is a pod in YAML without its status and its managed fields.
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
	pod["apiVersion"], pod["kind"] = "v1", "Pod" // a client leaves them out of what it reads
	if metadata, ok := pod["metadata"].(map[string]any); ok {
		delete(metadata, "managedFields")
	}
	text, err := yaml.Marshal(pod)
	return string(text), err
}

func (d *document) nodeLog(deviation *trial.Deviation) {
	d.line("\n## The node's log\n")
	switch {
	case deviation == nil || len(deviation.NodeLog) == 0 && deviation.Missing != "":
		d.line("It was not saved%s.", why(deviation))
	case len(deviation.NodeLog) == 0:
		d.line("It says nothing of these pods.")
	default:
		d.fenced("", strings.Join(deviation.NodeLog, "\n"))
	}
}

// why says why something was not saved, where that is known.
func why(deviation *trial.Deviation) string {
	if deviation == nil || deviation.Missing == "" {
		return ""
	}
	return ": " + deviation.Missing
}
