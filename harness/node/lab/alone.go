package lab

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/node/pace"
)

const (
	// aloneFor is how long last attempts may come one by one, even in a run of short trials.
	aloneFor = 5 * time.Minute
	// briefly is how long a trial lasts at most that acts for most of its time.
	briefly = time.Minute
)

// runAlone makes the last attempts of the trials that are inconclusive beside others. They come whenever no other trial
// waits to start or starts: trials that run then delay hardly anything. Those that need a worker of their own come when
// the spare workers are free. On an external cluster all come when the attempts beside others have ended: each subject
// has one node there.
func (l *Lab) runAlone(sparesFree, ended <-chan struct{}, p *pace.Pace) {
	for over := false; !over; {
		select {
		case <-ended:
			over = true
		case <-time.After(pace.LookEvery):
		}
		if !over && (l.options.External || !l.calm()) {
			continue
		}
		l.runTurns(l.takeUndecided(ordinary), p)
		if over || closed(sparesFree) {
			l.runTurns(l.takeUndecided(func(*runner.Attempts) bool { return true }), p)
		}
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func ordinary(r *runner.Attempts) bool { return r.Trial.Worker == nil }

// calm reports whether no trial waits to start beside others, or starts.
func (l *Lab) calm() bool {
	l.undecided.Lock()
	waiting := -len(l.undecided.all)
	l.undecided.Unlock()
	for _, s := range l.States() {
		if s.Phase == runner.Starting {
			return false
		}
		if s.Phase == runner.Waiting {
			waiting++
		}
	}
	return waiting == 0
}

// takeUndecided removes and returns the trials that wait for their last attempts and are of a kind.
func (l *Lab) takeUndecided(is func(*runner.Attempts) bool) (taken []*runner.Attempts) {
	l.undecided.Lock()
	defer l.undecided.Unlock()
	l.undecided.all = slices.DeleteFunc(l.undecided.all, func(r *runner.Attempts) bool {
		if is(r) {
			taken = append(taken, r)
		}
		return is(r)
	})
	return taken
}

// runTurns makes last attempts. Trials that last for longer than briefly mostly wait, so they begin at once. The others
// come one by one, but for so many at a time that they take no longer than the run's longest trial, or than aloneFor.
func (l *Lab) runTurns(open []*runner.Attempts, p *pace.Pace) {
	run := func(turn []job) {
		for _, j := range turn {
			l.runJob(l.nodeOf(j), j, p)
		}
	}
	brief, takes := [][]job{}, time.Duration(0)
	var waiting sync.WaitGroup
	var working errgroup.Group
	for _, turn := range turns(open) {
		if longest(turn) > briefly {
			waiting.Go(func() { run(turn) })
		} else {
			brief, takes = append(brief, turn), takes+lastAttempts*lasts(turn)
		}
	}
	working.SetLimit(1 + int(takes/max(aloneFor, p.Longest())))
	for _, turn := range brief {
		working.Go(func() error { run(turn); return nil })
	}
	_ = working.Wait()
	waiting.Wait()
}

// turns are the jobs of last attempts, those of each turn one after another: an ordinary trial, or all of a subject
// that need a worker of their own. The longest turn comes first.
func turns(open []*runner.Attempts) (all [][]job) {
	own := map[string][]*runner.Attempts{} // by subject
	for _, r := range open {
		if ordinary(r) {
			all = append(all, []job{{worker: trial.Worker{Alone: true}, selections: []*runner.Attempts{r}, last: true}})
		} else {
			own[r.Subject] = append(own[r.Subject], r)
		}
	}
	for _, selections := range own {
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

func longest(jobs []job) (lasts time.Duration) {
	for _, j := range jobs {
		for _, r := range j.selections {
			lasts = max(lasts, r.Trial.Lasts)
		}
	}
	return lasts
}

// nodeOf returns the node of a job of last attempts.
func (l *Lab) nodeOf(j job) *node {
	first := j.selections[0]
	s := l.subject(first.Subject)
	if ordinary(first) || l.options.External {
		return l.nodes[s.Node]
	}
	usable := func(spare string) bool { return l.nodes[spare].unusable() == "" }
	return l.nodes[s.Spares[max(0, slices.IndexFunc(s.Spares, usable))]]
}
