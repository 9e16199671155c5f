package predict

import (
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/victim"
)

var startupRules = []Rule{
	{
		ID: "killed-while-starting", Level: Warning, DocumentedAt: probesPage,
		Says: "Without a startup probe the liveness probe kills a container that takes long to start.",
		container: func(c checked) []found {
			if c.container.LivenessProbe == nil || c.container.StartupProbe != nil {
				return nil
			}
			killed := c.killedBy(victim.Liveness)
			if delay := c.delay(victim.Readiness); delay > killed.Earliest {
				f := found{
					field: "livenessProbe",
					says: fmt.Sprintf(
						"the readiness probe waits %s for the container to start, but the liveness probe kills it %s to %s after its start "+
							"if it is not up before",
						short(delay),
						short(killed.Earliest),
						short(killed.Latest),
					),
				}
				if delay > killed.Latest {
					f.level = Error
				}
				return []found{f}
			}
			if killed.Earliest > 0 {
				return nil
			}
			return []found{
				{
					field: "livenessProbe",
					says: fmt.Sprintf(
						"the first probe may come as soon as the container runs, and is the only one that must fail: a container that does not answer "+
							"at once is killed within %s of its start",
						short(killed.Latest),
					),
				},
			}
		},
	},
	{
		ID:           "startup-gives-up-early",
		Level:        Warning,
		DocumentedAt: probesPage,
		Says:         "A startup probe that gives up before other probes are to begin kills a container that they would have waited for.",
		container: func(c checked) []found {
			if c.container.StartupProbe == nil {
				return nil
			}
			delay, whose := c.delay(victim.Liveness), victim.Liveness
			if d := c.delay(victim.Readiness); d > delay {
				delay, whose = d, victim.Readiness
			}
			killed := c.killedBy(victim.Startup)
			if killed.Latest >= delay {
				return nil
			}
			return []found{
				{
					field: "startupProbe",
					says: fmt.Sprintf(
						"the startup probe kills a container %s to %s after its start if it is not up before, but the %s probe would wait %s for it",
						short(killed.Earliest),
						short(killed.Latest),
						whose,
						short(delay),
					),
				},
			}
		},
	},
	{
		ID:           "delay-counts-from-start",
		Level:        Note,
		DocumentedAt: configureProbesPage,
		Says:         "The documentation lets initial delays begin when the startup probe has succeeded; a kubelet counts them from the container's start.",
		container: func(c checked) []found {
			if c.container.StartupProbe == nil {
				return nil
			}
			var all []found
			for _, kind := range []string{victim.Liveness, victim.Readiness} {
				if delay := c.delay(kind); delay > 0 {
					all = append(
						all,
						found{
							field: kind + "Probe.initialDelaySeconds",
							says: fmt.Sprintf(
								"the %s probe's delay of %s counts from the container's start, not from the startup probe's success: "+
									"of a start that takes as long nothing of it is left",
								kind,
								short(delay),
							),
						},
					)
				}
			}
			return all
		},
	},
}

// delay is the initial delay of the container's probe of a kind, 0 where it has none.
func (c checked) delay(kind string) time.Duration {
	p, _ := c.probe(kind)
	return whole(int64(p.InitialDelaySeconds))
}
