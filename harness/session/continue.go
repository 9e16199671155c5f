package session

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/host"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
)

// Reserve reserves a folder of runs until the result is closed or this process ends. The folder may be a volume that
// the pod before this one still writes to.
func Reserve(out string) (*os.File, error) {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of all runs: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(out, ".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("reserve the folder of all runs: %w", err)
	}
	if err := host.Lock(file); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("another podclock adds to a run in %s (%w): wait for its end, or name another folder",
			out, err)
	}
	return file, nil
}

// resume takes what an earlier run judged, and plays only the rest.
func (s *Session) resume(earlier run.Run) {
	if earlier.ID == "" {
		return
	}
	trials := map[string]bool{}
	for _, o := range earlier.Outcomes {
		trials[o.Trial] = true
	}
	for _, selection := range s.selected {
		trials[selection.Trial.ID] = true
	}
	chosen := s.run.Subjects
	s.run.Subjects = slices.Clone(earlier.Subjects)
	for _, subject := range chosen {
		if !named(earlier.Subjects, subject.Name) {
			s.run.Subjects = append(s.run.Subjects, subject)
		}
	}
	s.run.ID, s.run.Started, s.run.Ready = earlier.ID, earlier.Started, earlier.Ready
	s.run.Nodes, s.run.Outcomes, s.run.Continued = earlier.Nodes, earlier.Outcomes, earlier.Continued
	s.selected = slices.DeleteFunc(slices.Clone(s.selected), func(selection runner.Selection) bool {
		return earlier.Has(selection.Trial.ID, selection.Subject)
	})
	if len(s.selected) > 0 {
		s.run.Continued = append(s.run.Continued, time.Now())
	} else {
		s.run.Reported, s.run.Problems, s.run.Environment = earlier.Reported, earlier.Problems, earlier.Environment
	}
	for _, old := range earlier.Subjects {
		left := slices.Collect(maps.Keys(trials))
		left = slices.DeleteFunc(left, func(id string) bool { return earlier.Has(id, old.Name) })
		why := fmt.Sprintf("%s is not among the nodes any more, and lacks %s", old.Name,
			run.Plural(len(left), "trial"))
		if !named(chosen, old.Name) && len(left) > 0 && !slices.Contains(s.run.Problems, why) {
			s.Problem(why)
		}
	}
	_, _ = fmt.Fprintf(s.log, "run %s continues: %d trials were judged before, %d are left\n", s.run.ID,
		len(s.run.Outcomes), len(s.selected))
}

func named(subjects []run.Subject, name string) bool {
	return slices.ContainsFunc(subjects, func(s run.Subject) bool { return s.Name == name })
}

// namespace returns the namespace of a run that went on so many times. That of a killed run may still exist. Other
// drivers may begin in the same second on other nodes. The first subject stays the first when the run continues.
func (s *Session) namespace(continued int) string {
	name := "podclock-" + s.run.ID
	if s.config.External != nil {
		name += fmt.Sprintf("-%.4x", sha256.Sum256([]byte(s.run.Subjects[0].Name)))
	}
	if continued == 0 {
		return name
	}
	return fmt.Sprintf("%s-%d", name, continued+1)
}

// ended saves an outcome at once.
func (s *Session) ended(o trial.Outcome, n run.Node) {
	if err := s.journal.Add([]run.Outcome{o}, []run.Node{n}); err != nil {
		_, _ = fmt.Fprintln(s.log, err)
	}
}
