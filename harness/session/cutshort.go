package session

import (
	"strings"

	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/trial"
)

// unfinished is what one lane's lab had not come to the end of when the run ended.
type unfinished struct {
	open map[[2]string]bool
	// ended is why the lab ended by itself, nil where it lived.
	ended error
}

// unfinishedOf looks at a lab that has not been stopped yet: stopping it concludes all trials.
func unfinishedOf(l laboratory) unfinished {
	u := unfinished{open: map[[2]string]bool{}, ended: l.Err()}
	for _, s := range l.States() {
		if s.Phase != stage.Done {
			u.open[[2]string{s.Trial.ID, s.Subject}] = true
		}
	}
	return u
}

// mark says of outcomes that the end of the run cut them short. One that was inconclusive before stays what it is.
func (u unfinished) mark(outcomes []trial.Outcome) {
	for i := range outcomes {
		o := &outcomes[i]
		o.CutShort = o.Verdict == trial.Inconclusive && (u.open[[2]string{o.Trial, o.Subject}] || u.endedWith(*o))
	}
}

// endedWith says whether a trial ended because its lab did: all its waits fail with the lab's own reason then.
func (u unfinished) endedWith(o trial.Outcome) bool {
	return u.ended != nil && strings.Contains(o.Why, u.ended.Error())
}
