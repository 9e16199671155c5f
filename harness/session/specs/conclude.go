package specs

import (
	"fmt"
	"os"
	"path/filepath"

	runs "github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/reports/html"
	"github.com/podclock/podclock/reports/terminal"
)

// Finished is the run once it is over, with its folder; nil where the set-up could not even begin.
func (s *Suite) Finished() (run *runs.Run, folder string) {
	if s.finished == nil {
		return nil, ""
	}
	return s.finished, s.run.Dir()
}

// Conclude writes the summary, which belongs below everything else, and returns the run's exit code.
func (s *Suite) Conclude(passed bool) int {
	run, folder := s.Finished()
	switch {
	case run == nil && passed:
		return runs.ExitConforms // a dry run
	case run == nil:
		return runs.ExitUnjudged // it did not come so far as to judge anything
	}
	err := terminal.Run(os.Stdout, *run, terminal.Options{Screen: terminal.ScreenOf(os.Stdout), Folder: folder})
	if page := filepath.Join(folder, html.File); err == nil && exists(page) {
		_, err = fmt.Println("As a page:", page)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "podclock:", err)
	}
	if verdict := run.ExitCode(); verdict != runs.ExitConforms || passed && err == nil {
		return verdict
	}
	// every verdict was good, but something else was not: a cluster that could not be deleted
	return runs.ExitUnjudged
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
