package play

import (
	"context"
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/victim"
)

// process is a life that is being lived: terms go in, its end comes out.
type process struct {
	Life
	terms  chan struct{}
	failed chan Trouble
	over   chan struct{}
	code   int
	err    error
	ended  time.Duration
}

// live begins a life; how changes it before.
func (r *rig) live(run victim.Run, how ...func(*process)) *process {
	r.Expect(run.Validate()).To(Succeed())
	p := &process{terms: make(chan struct{}, 16), failed: make(chan Trouble, 8), over: make(chan struct{})}
	p.Life = Life{Run: run, Recorder: r, Probes: NewProbes(run, r), Terms: p.terms, Failed: p.failed}
	for _, change := range how {
		change(p)
	}
	go func() {
		defer close(p.over)
		p.code, p.err = p.Live(r.ctx)
		p.ended = r.now()
	}()
	return p
}

// end waits for the end and says when it was.
func (p *process) end() time.Duration {
	<-p.over
	return p.ended
}

func TestHowALifeEnds(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		run      victim.Run
		life     int
		terms    []time.Duration
		kill, at time.Duration
		code     int
		want     []string
	}{
		"by itself": {
			run: victim.Run{ExitAfter: []time.Duration{9 * time.Second, -1}, ExitCodes: []int{3, 4}},
			at:  9 * time.Second, code: 3, want: []string{"9s exiting 3"},
		},
		"by itself, but not in this life": {
			run: victim.Run{
				ExitAfter: []time.Duration{9 * time.Second, -1},
			}, life: 2, kill: time.Hour, at: time.Hour, code: Killed,
		},
		"by itself, in a later life": {
			run: victim.Run{
				ExitAfter: []time.Duration{-1, 7 * time.Second}, ExitCodes: []int{3, 4},
			}, life: 3, at: 7 * time.Second, code: 4, want: []string{"7s exiting 4"},
		},
		"on the stop signal": {
			run: victim.Run{ExitCode: 7}, terms: []time.Duration{2 * time.Second}, at: 2 * time.Second, code: 7,
			want: []string{"2s exiting 7"},
		},
		"some time after the first stop signal": {
			run: victim.Run{Term: victim.ExitAfter, TermDelay: 5 * time.Second, ExitCode: 7},
			terms: []time.Duration{
				2 * time.Second, 6 * time.Second,
			}, at: 7 * time.Second, code: 7, want: []string{"7s exiting 7"},
		},
		"killed, as it ignores stop signals": {
			run: victim.Run{Term: victim.Ignore}, terms: []time.Duration{
				time.Second, 2 * time.Second,
			}, kill: 31 * time.Second, at: 31 * time.Second, code: Killed,
		},
		"killed, as it takes long to stop": {
			run: victim.Run{
				Term: victim.ExitAfter, TermDelay: time.Minute,
			}, terms: []time.Duration{time.Second}, kill: 31 * time.Second, at: 31 * time.Second, code: Killed,
		},
		"killed for its memory": {run: victim.Run{OOMAfter: 3 * time.Second}, at: 4 * time.Second, code: Killed},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(r *rig) {
				r.life = max(c.life, 1)
				p := r.live(c.run, func(p *process) {
					p.ExhaustMemory = func() error {
						time.Sleep(time.Second)
						r.kill()
						return errors.New("this error is not read")
					}
				})
				for _, at := range c.terms {
					time.AfterFunc(at, func() { p.terms <- struct{}{} })
				}
				if c.kill > 0 {
					time.AfterFunc(c.kill, r.kill)
				}
				r.Expect(p.end()).To(Equal(c.at))
				r.Expect(p.code).To(Equal(c.code))
				if c.code == Killed {
					r.Expect(p.err).To(MatchError(context.Canceled))
				} else {
					r.Expect(p.err).NotTo(HaveOccurred())
				}
				r.Expect(r.marked()).To(Equal(c.want), "a killed process makes no mark")
			})
		})
	}
}

func TestExitsAfterSoManyLivenessProbes(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		kill bool
		code int
		at   time.Duration
		last []string
	}{
		"and a moment":                       {false, 6, 4200 * time.Millisecond, []string{"4.2s exiting 6"}},
		"unless it is killed in that moment": {true, Killed, 4100 * time.Millisecond, nil},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(r *rig) {
				p := r.live(victim.Run{Liveness: "SF", ExitAfterProbes: []int{2}, ExitCode: 6})
				for _, probe := range []string{victim.Readiness, victim.Liveness, victim.Readiness, victim.Liveness} {
					time.Sleep(time.Second)
					_, _ = p.Probes.Arrived(probe, ByExec, time.Now())
					p.Probes.Done(probe)
				}
				if c.kill {
					time.AfterFunc(100*time.Millisecond, r.kill)
				}
				r.Expect(p.end()).To(Equal(c.at))
				r.Expect(p.code).To(Equal(c.code))
				r.Expect(r.marked()).To(Equal(append([]string{
					"1s probed readiness 0 S exec",
					"2s probed liveness 0 S exec",
					"3s probed readiness 1 S exec",
					"4s probed liveness 1 F exec",
				}, c.last...)))
			})
		})
	}
}

func TestTroubleEndsALifeWithAnExitCodeOfItsOwn(t *testing.T) {
	t.Parallel()
	port, room := errors.New("the port is taken"), errors.New("there is room for all of it")
	for what, c := range map[string]struct {
		run  victim.Run
		want Trouble
		last string
	}{
		"what it can't go on without": {victim.Run{}, Trouble{victim.ExitNotServing, port}, "5s exiting 123"},
		"memory without a limit": {
			victim.Run{OOMAfter: 3 * time.Second}, Trouble{victim.ExitNotKilled, room}, "3s exiting 124",
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(r *rig) {
				p := r.live(c.run, func(p *process) { p.ExhaustMemory = func() error { return room } })
				time.AfterFunc(5*time.Second, func() { p.failed <- Trouble{victim.ExitNotServing, port} })
				<-p.over
				r.Expect(p.code).To(Equal(c.want.Code))
				var trouble Trouble
				r.Expect(errors.As(p.err, &trouble)).To(BeTrue())
				r.Expect(trouble).To(Equal(c.want))
				r.Expect(p.err).To(MatchError(c.want.Err))
				r.Expect(r.marked()).To(Equal([]string{c.last}))
				r.until(6 * time.Second)
			})
		})
	}
}

// Servers stop when the process is killed. That must not look like trouble, or like an exit by itself.
func TestDeathComesBeforeAnythingElse(t *testing.T) {
	t.Parallel()
	inBubble(t, func(r *rig) {
		r.kill()
		for range 200 {
			p := r.live(victim.Run{ExitAfter: []time.Duration{0}}, func(p *process) {
				p.failed <- Trouble{Code: victim.ExitNotServing}
				p.terms <- struct{}{}
			})
			<-p.over
			r.Expect(p.code).To(Equal(Killed))
		}
		r.Expect(r.marked()).To(BeEmpty())
	})
}

func TestFillsSomeTimeAfterItsStart(t *testing.T) {
	t.Parallel()
	run := victim.Run{
		FillDir:   "/data",
		FillAfter: 3 * time.Second,
		FillBytes: 1,
		ExitAfter: []time.Duration{9 * time.Second},
	}
	killed := run
	killed.FillAfter = 8 * time.Second
	late := run
	late.FillAfter = 10 * time.Second
	for what, c := range map[string]struct {
		run  victim.Run
		err  error
		want []string
	}{
		"all of it": {run, nil, []string{"3s fill-began", "5s filled", "9s exiting 0"}},
		"as far as there is room": {
			run, errors.New("the disk is full"),
			[]string{"3s fill-began", "5s filled: the disk is full", "9s exiting 0"},
		},
		"as far as it lives": {killed, nil, []string{"8s fill-began", "9s exiting 0"}},
		"not after its end":  {late, nil, []string{"9s exiting 0"}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(r *rig) {
				p := r.live(c.run, func(p *process) {
					p.Fill = func() error {
						time.Sleep(2 * time.Second)
						return c.err
					}
				})
				r.Expect(p.end()).To(Equal(9 * time.Second))
				r.until(time.Minute)
				r.Expect(r.marked()).To(Equal(c.want))
			})
		})
	}
}
