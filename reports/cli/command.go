package cli

import (
	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/promises"
	"github.com/podclock/podclock/harness/session"
)

// App is the program: its trials, how a run of them is played, the kind configuration that clusters are based on, and
// the record of mutants (mutationtest.Report as JSON) that --within chooses by.
type App struct {
	Catalogue  func() []trial.Trial
	Suite      session.Suite
	KindConfig []byte
	Record     []byte
}

// trialsOf returns the trials of a saved run: those of its manifest, or the catalogue's. A manifest that this podclock
// cannot read has none, so that each of its outcomes says that its trial is unknown.
func (a App) trialsOf(r runs.Run) func() []trial.Trial {
	if r.Promises == nil {
		return a.Catalogue
	}
	all, err := promises.Load(*r.Promises)
	if err != nil {
		all = nil
	}
	return func() []trial.Trial { return all }
}

// rejudge judges a saved run again, by the trials that made it.
func (a App) rejudge(r runs.Run) (runs.Run, []runs.Change) {
	return runs.Rejudge(r, trial.Finder(a.trialsOf(r)()))
}

// load reads a saved run, and judges it again if asked to.
func (a App) load(path string, judge bool) (runs.Run, error) {
	run, err := runs.Load(path)
	if err == nil && judge {
		run, _ = a.rejudge(run)
	}
	return run, err
}

const judgeUsage = "judge the runs again first with the present formulas and judge"
