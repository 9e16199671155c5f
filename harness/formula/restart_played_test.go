package formula

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// crashLooper is a kubelet of a hundred lines that restarts one container: it knows syncs, a work queue, a back-off and its garbage collection, and nothing
// of windows. It is written from the rules in Kubernetes' source, so that it and the formulas check each other.
type crashLooper struct {
	initial, max time.Duration
	polls        bool // looks every ten to fifteen seconds, as up to 1.34
	tick, clean  time.Duration
	draw         func(what string, from, to time.Duration) time.Duration

	backOff, updated time.Duration // the entry; backOff 0 is none
	ended            time.Duration // of the ended instance that the runtime shows, 0 for none
}

// doBackOff says whether the container may be started now, and else when its back-off ends.
func (k *crashLooper) doBackOff(now time.Duration) (until time.Duration, start bool) {
	if collected := now - (now-k.clean)%(2*time.Second); collected-k.updated > 600*time.Second {
		k.backOff = 0
	}
	if k.ended == 0 {
		return 0, true
	}
	expired := k.ended-k.updated > 600*time.Second
	if k.backOff != 0 && !expired && now-k.ended < k.backOff {
		return k.ended + k.backOff, false
	}
	if k.backOff == 0 || expired {
		k.backOff = k.initial
	} else {
		k.backOff = min(2*k.backOff, k.max)
	}
	k.updated = now
	return 0, true
}

// sync tries at a time and again until the container starts, and returns when it does.
func (k *crashLooper) sync(now time.Duration) time.Duration {
	for {
		until, start := k.doBackOff(now)
		if start {
			return now + k.draw("start", 200*time.Millisecond, 1900*time.Millisecond)
		}
		wait := min(until-now, 60*time.Second)
		if k.polls {
			wait = 10 * time.Second
		}
		now += k.draw("jitter", wait, wait*3/2)
		now += time.Second - (now-k.tick)%time.Second // the work queue's next tick
	}
}

// restart is when the container starts after an end.
func (k *crashLooper) restart(gone time.Duration, byProbe bool) time.Duration {
	noticed := gone + k.draw("noticed", 10*time.Millisecond, 1200*time.Millisecond)
	if byProbe {
		now := gone + 20*time.Millisecond // the sync that killed; it sees the instance before
		if _, start := k.doBackOff(now); start {
			k.ended = gone + 3*time.Millisecond
			return now + k.draw("start", 200*time.Millisecond, 1900*time.Millisecond)
		}
	}
	k.ended = gone + 3*time.Millisecond
	return k.sync(noticed)
}

// Whatever lives a container has, a correct kubelet restarts it within the window that is computed from them.
func TestPlayedRestarts(t *testing.T) {
	kubelets := map[string]struct {
		kubelet      Kubelet
		initial, max time.Duration
	}{
		"v1.23.1":          {v123, 10 * s, 300 * s},
		"v1.34.4":          {v134, 10 * s, 300 * s},
		"v1.34.4, 1 s":     {tuned(v134, s, maxGate), s, s},
		"v1.36.3":          {newest, 10 * s, 300 * s},
		"v1.36.3, 1 s":     {tuned(newest, s), s, s},
		"v1.36.3, 20 s":    {tuned(newest, 20*s), 10 * s, 20 * s},
		"v1.36.3, reduced": {tuned(newest, 300*s, reducedGate), s, 300 * s},
	}
	for name, c := range kubelets {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				k := &crashLooper{initial: c.initial, max: c.max, polls: !c.kubelet.Has(RequeueAtExpiry)}
				k.draw = func(what string, from, to time.Duration) time.Duration {
					return time.Duration(rapid.Int64Range(int64(from), int64(to)).Draw(t, what))
				}
				k.tick, k.clean = k.draw("tick", 0, time.Second), k.draw("clean", 0, 2*time.Second)
				probed := rapid.Bool().Draw(t, "probed")
				in := Input{Kubelet: c.kubelet}
				if probed {
					in.Kill.Cause, in.Probe.Handler = ByLiveness, "http"
				}
				started := zero
				k.updated = zero
				for range rapid.IntRange(1, 12).Draw(t, "lives") {
					l := Life{Started: started, Signalled: probed && rapid.IntRange(0, 4).Draw(t, "killed") > 0}
					lasts := rapid.SampledFrom([]time.Duration{s, 3 * s, 14 * s, 300 * s, 545 * s, 600 * s, 640 * s}).Draw(t, "lasts")
					l.Gone = started + k.draw("lasted", lasts*9/10, lasts)
					in.Lives = append(in.Lives, l)
					in.Life = len(in.Lives) + 1
					w := RestartDelay.Implemented(in)
					started = k.restart(l.Gone, l.Signalled)
					if waited := started - l.Gone; !w.Contains(int64(waited)) {
						t.Fatalf("restart %d waited %v, not %v: %s", in.Life-1, waited, w, w.Explain())
					}
				}
			})
		})
	}
}

// The catalogue's lives part from the documentation where they are said to, however late a correct kubelet is.
func TestPlayedDivergences(t *testing.T) {
	for name, c := range map[string]struct {
		kubelet   Kubelet
		cause     Cause
		lives     []time.Duration
		divergent []int // the restarts, from 1, that are not as documented
		chance    int   // one that may be either, 0 for none
	}{
		"crash loop":                  {newest, "", []time.Duration{s, s, s, s, s}, nil, 0},
		"crash loop, polled":          {v134, "", []time.Duration{s, s, s, s, s}, nil, 0},
		"liveness every 3 s":          {newest, ByLiveness, []time.Duration{3 * s, 2 * s, 2 * s, 3 * s}, []int{2, 3, 4}, 0},
		"liveness every 3 s, polled":  {v123, ByLiveness, []time.Duration{3 * s, 2 * s, 2 * s, 3 * s}, []int{2, 3, 4}, 0},
		"liveness every 15 s":         {newest, ByLiveness, []time.Duration{14 * s, 14 * s, 14 * s, 14 * s}, []int{2, 3, 4}, 0},
		"reset after 610 s":           {newest, "", []time.Duration{s, s, 610 * s, s}, nil, 0},
		"no reset after 550 s":        {newest, "", []time.Duration{s, s, 550 * s, s}, nil, 0},
		"no reset, polled":            {v134, "", []time.Duration{s, s, 550 * s, s}, nil, 0},
		"forgotten in the wait":       {newest, "", []time.Duration{s, s, s, s, s, 545 * s, s}, []int{6, 7}, 0},
		"forgotten, polled":           {v134, "", []time.Duration{s, s, s, s, s, 545 * s, s}, []int{6, 7}, 0},
		"reduced":                     {tuned(newest, 300*s, reducedGate), "", []time.Duration{s, s, s, s, s, s, s, s, s}, []int{9}, 8},
		"reduced, without the node's": {tuned(v134, 0, reducedGate), "", []time.Duration{s, s, s, s, s, s, s, s, s}, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				g := c.kubelet.growth()
				k := &crashLooper{initial: g.initial, max: g.max, polls: !c.kubelet.Has(RequeueAtExpiry)}
				k.draw = func(what string, from, to time.Duration) time.Duration {
					return time.Duration(rapid.Int64Range(int64(from), int64(to)).Draw(t, what))
				}
				k.tick, k.clean, k.updated = k.draw("tick", 0, time.Second), k.draw("clean", 0, 2*time.Second), zero
				in, started := Input{Kubelet: c.kubelet, Kill: Kill{Cause: c.cause}}, zero
				for i, lasts := range c.lives {
					l := Life{Started: started, Gone: started + lasts, Signalled: c.cause != ""}
					in.Lives = append(in.Lives, l)
					in.Life = i + 2
					started = k.restart(l.Gone, l.Signalled)
					documented := RestartDelay.Documented(in).Contains(int64(started - l.Gone))
					if want := !slices.Contains(c.divergent, i+1); documented != want && c.chance != i+1 {
						t.Fatalf("restart %d waited %v, documented is %v", i+1, started-l.Gone, RestartDelay.Documented(in))
					}
				}
			})
		})
	}
}
