package suites

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/judge"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
)

// routed is when things happened to a pod behind a Service, after its delete. A negative time is never.
type routed struct{ unready, last, signal, death time.Duration }

// timeline has the pod's delete at ten seconds.
func (r routed) timeline() *timeline.Timeline {
	const deleted = 10 * time.Second
	at := func(d time.Duration) *timeline.Instant {
		if d < 0 {
			return nil
		}
		return &timeline.Instant{At: int64(deleted + d)}
	}
	life := &timeline.Life{
		Number: 1, Started: &timeline.Instant{At: int64(time.Second)},
		Requested: &timeline.Instant{At: int64(2 * time.Second)}, LastRequest: at(r.last), Gone: at(r.death),
		SIGTERMs: []timeline.Instant{*at(r.signal)},
	}
	if life.LastRequest != nil {
		life.LastRequest.Late = int64(victim.RequestPause)
	}
	tl := &timeline.Timeline{
		Containers: map[string]*timeline.Container{trial.Main: {Name: trial.Main, Lives: []*timeline.Life{life}}},
		Faults:     []timeline.Fault{{What: string(trial.DeletePod), At: *at(0)}},
		Endpoints:  []timeline.EndpointChange{{At: timeline.Instant{At: int64(2 * time.Second)}, Ready: true}},
		Known:      int64(time.Minute),
	}
	if unready := at(r.unready); unready != nil {
		tl.Endpoints = append(tl.Endpoints, timeline.EndpointChange{At: *unready, Serving: true, Terminating: true})
	}
	return tl
}

// Each claim about traffic fails if its component does something else.
func TestTrafficThatIsWrong(t *testing.T) {
	const ms, s, never = time.Millisecond, time.Second, time.Duration(-1)
	const unready, follows, signal, only, always = "deletion/endpoint-unready", "deletion/proxy-follows",
		"deletion/requests-then-signal", "deletion/last-endpoint", "deletion/always-routed"
	catalogue := Index()
	for name, c := range map[string]struct {
		trial   string
		happens routed
		wrong   []string
	}{
		"as it is":              {"", routed{20 * ms, 60 * ms, 40 * ms, 8 * s}, nil},
		"proxies quicker":       {"", routed{20 * ms, 10 * ms, 40 * ms, 8 * s}, nil},
		"SIGTERM is long first": {"", routed{900 * ms, 3 * s, 10 * ms, 8 * s}, nil},
		"no proxy follows":      {"", routed{20 * ms, never, 40 * ms, 8 * s}, []string{follows, signal}},
		"the controller waits":  {"", routed{3 * s, 4 * s, 40 * ms, 8 * s}, []string{unready}},
		"no endpoint changes":   {"", routed{never, never, 40 * ms, 8 * s}, []string{unready, signal}},
		"requests end early":    {"", routed{1500 * ms, 100 * ms, 40 * ms, 8 * s}, []string{follows}},
		"a sleep":               {"-sleep", routed{20 * ms, 60 * ms, 5040 * ms, 10 * s}, nil},
		"a slow proxy":          {"-sleep", routed{1900 * ms, 4800 * ms, 5040 * ms, 10 * s}, nil},
		"a sleep that is none":  {"-sleep", routed{20 * ms, 1300 * ms, 40 * ms, 10 * s}, []string{signal}},
		"the only pod":          {"-only", routed{20 * ms, never, 40 * ms, 4040 * ms}, nil},
		"it gets none":          {"-only", routed{20 * ms, 60 * ms, 40 * ms, 4040 * ms}, []string{only}},
		"always routed":         {"-not-ready-addresses", routed{never, never, 40 * ms, 4040 * ms}, nil},
		"not always":            {"-not-ready-addresses", routed{20 * ms, 60 * ms, 40 * ms, 4040 * ms}, []string{always}},
	} {
		for _, mode := range []string{"iptables", "nftables"} {
			r := judge.Judge(catalogue["deletion/traffic-"+mode+c.trial], c.happens.timeline(), delay.Record{},
				formula.Kubelet{Version: formula.NewestKnown})
			var wrong []string
			for _, f := range r.Findings {
				if f.Of != formula.Proxy && f.Of != formula.Controller {
					continue
				}
				unknown := f.From == trial.EndpointUnready && c.happens.unready < 0
				switch f.Verdict {
				case trial.Deviates:
					wrong = append(wrong, f.Formula)
				case trial.Conforms:
				default:
					NewWithT(t).Expect(unknown).To(BeTrue(), "%s: %s is %s: %s", name, f.Formula, f.Verdict, f.Why)
				}
			}
			NewWithT(t).Expect(wrong).To(ConsistOf(c.wrong), "%s, %s", name, mode)
		}
	}
}
