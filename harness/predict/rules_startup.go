package predict

import (
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/formula"
)

var startupRules = []Rule{
	{
		ID: "killed-while-starting", Level: Warning, DocumentedAt: probesPage,
		Says: "Without a startup probe the liveness probe kills a container that takes long to start.",
		container: func(c checked) []found {
			if c.container.LivenessProbe == nil || c.container.StartupProbe != nil {
				return nil
			}
			w := formula.ProbeKills.Implemented(c.probed(formula.ByLiveness, "liveness"))
			earliest, latest := time.Duration(w.Earliest), time.Duration(w.Latest)
			if r := c.container.ReadinessProbe; r != nil {
				delay := whole(int64(r.InitialDelaySeconds))
				f := found{field: "livenessProbe", says: fmt.Sprintf("the readiness probe waits %s for the container to start, but the liveness probe kills it %s to %s after its start where it does not answer",
					short(delay), short(earliest), short(latest))}
				switch {
				case latest < delay:
					f.level = Error
					return []found{f}
				case earliest < delay:
					return []found{f}
				}
			}
			if earliest > 0 {
				return nil
			}
			return []found{{field: "livenessProbe", says: fmt.Sprintf("the first probe may come as soon as the container runs, and is the only one that must fail: a container that does not answer "+
				"at once is killed within %s of its start", short(latest))}}
		},
	},
	{
		ID: "startup-gives-up-early", Level: Warning, DocumentedAt: probesPage,
		Says: "A startup probe that gives up before other probes are to begin kills a container that they would have waited for.",
		container: func(c checked) []found {
			if c.container.StartupProbe == nil {
				return nil
			}
			w := formula.ProbeKills.Implemented(c.probed(formula.ByStartup, "startup"))
			delay, whose := time.Duration(0), ""
			if p := c.container.LivenessProbe; p != nil {
				delay, whose = whole(int64(p.InitialDelaySeconds)), "liveness"
			}
			if p := c.container.ReadinessProbe; p != nil && whole(int64(p.InitialDelaySeconds)) > delay {
				delay, whose = whole(int64(p.InitialDelaySeconds)), "readiness"
			}
			if time.Duration(w.Latest) >= delay {
				return nil
			}
			return []found{{field: "startupProbe", says: fmt.Sprintf("the startup probe kills a container that does not answer %s to %s after its start, but the %s probe would wait %s for it",
				short(time.Duration(w.Earliest)), short(time.Duration(w.Latest)), whose, short(delay))}}
		},
	},
	{
		ID: "delay-counts-from-start", Level: Note, DocumentedAt: configureProbesPage,
		Says: "The documentation lets initial delays begin when the startup probe has succeeded; a kubelet counts them from the container's start.",
		container: func(c checked) []found {
			if c.container.StartupProbe == nil {
				return nil
			}
			var all []found
			for _, p := range []struct {
				kind, field string
				delay       int32
			}{
				{"liveness", "livenessProbe.initialDelaySeconds", c.delayOf("liveness")},
				{"readiness", "readinessProbe.initialDelaySeconds", c.delayOf("readiness")},
			} {
				if p.delay > 0 {
					all = append(all, found{field: p.field, says: fmt.Sprintf("the %s probe's delay of %s counts from the container's start, not from the startup probe's success: "+
						"of a start that takes as long nothing of it is left", p.kind, short(whole(int64(p.delay))))})
				}
			}
			return all
		},
	},
}

// delayOf is the initialDelaySeconds of a probe of the container, 0 where it has none of that kind.
func (c checked) delayOf(kind string) int32 {
	p := c.container.LivenessProbe
	if kind == "readiness" {
		p = c.container.ReadinessProbe
	}
	if p == nil {
		return 0
	}
	return p.InitialDelaySeconds
}
