package deletion

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

// The companions of a pod behind a Service.
const (
	client = "client"
	other  = "other" // it is ready
)

// settled is how long after the first request of the last pod a trial goes on: all proxies' rules have all pods.
const settled = 3 * time.Second

// traffic returns the trials of the requests that reach a pod through a Service, in each mode of kube-proxy.
func traffic() (all []trial.Trial) {
	for _, mode := range []trial.ProxyMode{trial.IPTables, trial.NFTables} {
		all = append(all, trafficBy(mode)...)
	}
	return all
}

// trafficBy returns the trials with a kube-proxy in one mode. A trial has the node to itself, because kube-proxy writes
// the rules of all Services at once.
func trafficBy(mode trial.ProxyMode) []trial.Trial {
	worker := &trial.Worker{Name: "kube-proxy-" + string(mode), Proxy: mode, Alone: true}
	proxied := func(what, about string, t trial.Trial) trial.Trial {
		t.ID, t.About = "deletion/traffic-"+string(mode), about
		if what != "" {
			t.ID += "-" + what
		}
		if mode == trial.NFTables {
			t.Needs = append(t.Needs, formula.NFTablesProxy)
		}
		t.Worker, t.NodeOnly = worker, "a virtual node has no network for kube-proxy"
		if t.Service == nil {
			t.Service = &corev1.ServiceSpec{}
		}
		if t.Companions == nil {
			t.Companions = []*corev1.Pod{named(client, fixtures.Calling), named(other, fixtures.Serving)}
		}
		return t
	}
	deleteAfter := func(requested trial.Point) []trial.Fault {
		return []trial.Fault{trial.Delete().At(requested, settled)}
	}
	leaves := victim.Run{Term: victim.ExitAfter, TermDelay: 4 * time.Second}
	return []trial.Trial{
		proxied("", "Nothing orders SIGTERM and the last request of a deleted pod without a preStop hook.", trial.Trial{
			Pod:    fixtures.Single(8, fixtures.Ignoring, fixtures.Serving),
			Faults: deleteAfter(trial.Requested.Of(other)), Lasts: 20 * time.Second,
			Claims: slices.Concat(routesEnd, claims.KilledWithoutHook, claims.DeletedGracefully),
		}),
		proxied("sleep", "A preStop sleep of 5 s lets the last request come before SIGTERM.", trial.Trial{
			Pod:    fixtures.Single(10, fixtures.Ignoring, fixtures.Serving, fixtures.SleepPreStop(5)),
			Needs:  []formula.Change{formula.SleepAction},
			Faults: deleteAfter(trial.Requested.Of(other)), Lasts: 22 * time.Second,
			Claims: slices.Concat(routesEnd, []trial.Claim{
				claims.Between(trial.Injected, trial.SIGTERM, formula.SleepThenSignal, formula.SleepNotSlept),
			}, claims.DeletedGracefully),
		}),
		proxied("unready", "A pod whose readiness probe fails gets no more requests, and lives on.", trial.Trial{
			Pod: fixtures.Single(8, victim.Run{Readiness: "SSSSSSSSSSF"}, fixtures.Serving,
				fixtures.Readiness(fixtures.Probe{PeriodSeconds: 1, TimeoutSeconds: 1, FailureThreshold: 1})),
			Lasts: 25 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Answered(victim.Readiness, victim.Fail), trial.EndpointUnready,
					formula.EndpointFollowsProbe),
				claims.Between(trial.EndpointUnready, trial.LastRequest, formula.ProxyFollows),
			},
		}),
		proxied("not-ready-addresses", "A Service with publishNotReadyAddresses sends requests to a deleted pod "+
			"until it ends, though another pod is ready.", trial.Trial{
			Pod:     fixtures.Single(10, leaves, fixtures.Serving),
			Service: &corev1.ServiceSpec{PublishNotReadyAddresses: true},
			Faults:  deleteAfter(trial.Requested.Of(other)), Lasts: 16 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.LastRequest, trial.Gone, formula.AlwaysRouted),
			}, claims.Obeyed, claims.DeletedGracefully),
		}),
		proxied("only", "The only pod of a Service gets requests until it ends, though its endpoint is not ready.",
			trial.Trial{
				Pod:        fixtures.Single(10, leaves, fixtures.Serving),
				Companions: []*corev1.Pod{named(client, fixtures.Calling)},
				Needs:      []formula.Change{formula.TerminatingRouted},
				Faults:     deleteAfter(trial.Requested), Lasts: 16 * time.Second,
				Claims: slices.Concat([]trial.Claim{
					claims.Between(trial.Injected, trial.EndpointUnready, formula.EndpointUnready),
					claims.Between(trial.LastRequest, trial.Gone, formula.LastEndpoint),
				}, claims.Obeyed, claims.DeletedGracefully),
			}),
	}
}

// routesEnd are the claims on a deleted pod beside a ready one.
var routesEnd = []trial.Claim{
	claims.Between(trial.Injected, trial.EndpointUnready, formula.EndpointUnready),
	claims.Between(trial.EndpointUnready, trial.LastRequest, formula.ProxyFollows),
	claims.Between(trial.LastRequest, trial.SIGTERM, formula.RequestsThenSignal),
}

// named returns a pod of one container with the same name.
func named(name string, does fixtures.Option) *corev1.Pod {
	p := fixtures.Pod(1, fixtures.Named(name, victim.Run{}, does))
	p.Name = name
	return p
}
