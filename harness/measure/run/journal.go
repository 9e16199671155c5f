package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/podclock/podclock/harness/measure/trial"
)

// journalFile is in a run's folder while the run goes on. Each line is a [Run] with what was not known before: first
// the run without outcomes, then each outcome when its trial ends, with its node's new delays.
const journalFile = "journal.jsonl"

// Journal saves each outcome of a run when its trial ends, so that a killed run can continue.
type Journal struct {
	mu   sync.Mutex
	file *os.File
	// saved is the time up to which each node's delays are in the file, on its recorder's clock.
	saved map[string]int64
}

// OpenJournal begins or continues the journal of a run in its folder.
func OpenJournal(dir string, r Run) (*Journal, error) {
	file, err := os.OpenFile(filepath.Join(dir, journalFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the journal of run %s: %w", r.ID, err)
	}
	j := &Journal{file: file, saved: map[string]int64{}}
	r.Outcomes, r.Nodes = nil, nil
	return j, j.write(r)
}

// Add saves outcomes and what became known of their nodes since.
func (j *Journal) Add(outcomes []Outcome, nodes []Node) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i := range nodes {
		n := &nodes[i]
		since := j.saved[n.Name]
		j.saved[n.Name] = max(since, n.Delays.Last())
		n.Delays = n.Delays.Since(since)
	}
	return j.write(Run{Outcomes: outcomes, Nodes: nodes})
}

// write begins a line, because a killed run may have left a part of one.
func (j *Journal) write(r Run) error {
	r.Schema = Schema
	line, err := json.Marshal(r)
	if err == nil {
		_, err = j.file.Write(slices.Concat([]byte("\n"), line, []byte("\n")))
	}
	if err != nil {
		return fmt.Errorf("write %s (is the disk full?): %w", j.file.Name(), err)
	}
	return nil
}

// End deletes the journal, after the run was saved.
func (j *Journal) End() error { return errors.Join(j.file.Close(), os.Remove(j.file.Name())) }

// LoadUnfinished calls [Unfinished] for the newest run below a folder, and also returns that run's folder.
func LoadUnfinished(out string) (r Run, dir string, err error) {
	entries, err := os.ReadDir(out)
	if errors.Is(err, fs.ErrNotExist) {
		return r, "", nil
	}
	for _, e := range slices.Backward(entries) { // names are in the order of time
		if !e.IsDir() {
			continue
		}
		at := filepath.Join(out, e.Name())
		if r, err := Unfinished(at); err != nil || r.ID != "" {
			return r, at, err
		}
	}
	return r, "", err
}

// Unfinished returns what is known of the run in a folder: its run.json, and the journal of a run that was killed. The
// ID is empty if there is none.
func Unfinished(dir string) (r Run, err error) {
	if isRun(dir) {
		if r, err = Load(dir); err != nil {
			return r, err
		}
		r.settle()
	}
	journal, err := os.ReadFile(filepath.Join(dir, journalFile))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	for line := range bytes.SplitSeq(journal, []byte("\n")) {
		var part Run
		if json.Unmarshal(line, &part) == nil { // else the run was killed within the line
			r.add(part)
		}
	}
	return r, err
}

// settle removes what the run's end computed, and what must be played again.
func (r *Run) settle() {
	r.Outcomes = slices.DeleteFunc(r.Outcomes, func(o Outcome) bool { return IsCheck(o) || !Ended(o) })
	for _, o := range r.Outcomes {
		for i := range o.Attempts {
			o.Attempts[i].Kubelet = r.KubeletOf(o, o.Attempts[i])
		}
	}
}

func (r *Run) add(part Run) {
	if part.ID != "" { // the first line of a journal
		part.Outcomes, part.Nodes = r.Outcomes, r.Nodes
		*r = part
	}
	for _, o := range part.Outcomes {
		if !r.Has(o.Trial, o.Subject) {
			r.Outcomes = append(r.Outcomes, o)
		}
	}
	r.AddNodes(part.Nodes)
}

// Ended reports whether a trial was judged, or can't be. Else it never ran, or was cut short.
func Ended(o Outcome) bool {
	return o.Verdict != trial.Inconclusive || !o.CutShort && len(o.Attempts) > 0
}

// Has reports whether the run has an outcome of a trial on a subject.
func (r *Run) Has(id, subject string) bool {
	return slices.ContainsFunc(r.Outcomes, func(o Outcome) bool { return o.Trial == id && o.Subject == subject })
}

// AddNodes adds what is known of nodes to what was known before. Virtual nodes of several subjects have one name.
func (r *Run) AddNodes(nodes []Node) {
	for _, n := range nodes {
		same := func(old Node) bool { return old.Name == n.Name && old.Subject == n.Subject }
		i := slices.IndexFunc(r.Nodes, same)
		if i < 0 {
			r.Nodes = append(r.Nodes, n)
			continue
		}
		old := &r.Nodes[i]
		since := n.Delays.Since(old.Delays.Last())
		old.Delays.LateTicks = append(old.Delays.LateTicks, since.LateTicks...)
		old.Delays.PSI = append(old.Delays.PSI, since.PSI...)
		for _, o := range n.Delays.Unanswered {
			old.Delays.AddOutage(o)
		}
		old.Delays.CoreNS = max(old.Delays.CoreNS, n.Delays.CoreNS)
		old.Delays.Slower = max(old.Delays.Slower, n.Delays.Slower)
		old.ClockError, old.Watched = max(old.ClockError, n.ClockError), old.Watched || n.Watched
		old.Exits = append(old.Exits, n.Exits...)
		if n.Evicted != "" {
			old.Evicted = n.Evicted
		}
	}
}
