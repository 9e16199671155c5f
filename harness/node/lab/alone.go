package lab

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/node/pace"
)

// aloneFor is how long last attempts may come one by one, even in a run of short trials.
const aloneFor = 5 * time.Minute

// runAlone makes the last attempts of the trials that are still inconclusive. All others have ended, so hardly anything
// delays what is measured. The attempts come one by one, but for so many at a time that they take no longer than the
// run's longest trial, or than aloneFor.
func (l *Lab) runAlone(p *pace.Pace) {
	turns := turns(l.undecided.all)
	takes := time.Duration(0)
	for _, jobs := range turns {
		takes += lastAttempts * lasts(jobs)
	}
	var working errgroup.Group
	working.SetLimit(1 + int(takes/max(aloneFor, p.Longest())))
	for _, jobs := range turns {
		working.Go(func() error {
			for _, j := range jobs {
				l.runJob(l.nodeOf(j), j, p)
			}
			return nil
		})
	}
	_ = working.Wait()
}

// turns are the jobs of last attempts, those of each turn one after another: an ordinary trial, or all of a subject that
// need a worker of their own. The longest turn comes first.
func turns(open []*runner.Attempts) (all [][]job) {
	own := map[string][]*runner.Attempts{} // by subject
	for _, r := range open {
		if r.Trial.Worker == nil {
			all = append(all, []job{{worker: trial.Worker{Alone: true}, selections: []*runner.Attempts{r}, last: true}})
		} else {
			own[r.Subject] = append(own[r.Subject], r)
		}
	}
	for selections := range maps.Values(own) {
		jobs := jobs(selections)
		for i := range jobs {
			jobs[i].worker.Alone, jobs[i].last = true, true
		}
		all = append(all, jobs)
	}
	slices.SortStableFunc(all, func(a, b []job) int { return cmp.Compare(lasts(b), lasts(a)) })
	return all
}

func lasts(jobs []job) (takes time.Duration) {
	for _, j := range jobs {
		takes += j.lasts()
	}
	return takes
}

// nodeOf returns the node of a job of last attempts.
func (l *Lab) nodeOf(j job) *node {
	first := j.selections[0]
	s := l.subject(first.Subject)
	if first.Trial.Worker == nil || l.options.External {
		return l.nodes[s.Node]
	}
	usable := func(spare string) bool { return l.nodes[spare].unusable() == "" }
	return l.nodes[s.Spares[max(0, slices.IndexFunc(s.Spares, usable))]]
}
