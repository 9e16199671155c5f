package formula

import (
	"slices"
	"time"
)

const (
	objectMetaPage    = "https://kubernetes.io/docs/reference/kubernetes-api/definitions/object-meta-v1-meta/"
	deleteOptionsPage = "https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/delete-options/"
	shortening        = "kubernetes#83916, kubernetes#113606, kubernetes#113712, kubernetes#113717"
)

type deletion struct {
	// grace is deletionGracePeriodSeconds.
	grace int64
	// shift is by how many seconds deletionTimestamp was moved since the first request.
	shift Range
	// expired says that a request would have moved it into the past.
	expired bool
}

// deletion is what the API server shows after the requests, as far as their times tell.
func (in Input) deletion() deletion { return in.deletions()[0] }

// deletions follows the requests (apiserver pkg/registry/rest/delete.go BeforeDelete). The first one decides with the
// pod's spec. A later one can only shorten, and not into the past. There are several results if the measured times
// leave open whether that was in the past.
func (in Input) deletions() []deletion {
	possible := []deletion{{grace: in.Kill.deletionGracePeriodSeconds()}}
	for i, r := range in.Deletes {
		if i == 0 || r.GracePeriodSeconds == nil {
			continue
		}
		var after []deletion
		for _, d := range possible {
			after = append(after, in.shortens(d, r)...)
		}
		possible = after
	}
	return possible
}

// shortens returns what a later request may make of a deletion.
func (in Input) shortens(d deletion, r Delete) []deletion {
	g, first := *r.GracePeriodSeconds, in.Kill.deletionGracePeriodSeconds()
	if g < 0 {
		g = 1
	}
	if d.grace == 0 || g >= d.grace {
		return []deletion{d}
	}
	back := deletion{grace: g, shift: Range{Low: seconds(g - first), High: seconds(g - first)}, expired: d.expired}
	// Both instants are cut to whole seconds, and both requests take time.
	now := (r.At - in.Deletes[0].At).Truncate(time.Second) - seconds(first)
	over := deletion{
		grace:   min(g, 1),
		shift:   Range{Low: now - apiRequest, High: now + time.Second + apiRequest},
		expired: true,
	}
	// The moved deletionTimestamp counts from the first request, cut to whole seconds.
	began := in.Deletes[0].At
	switch {
	case r.At+apiRequest <= began.Truncate(time.Second)+seconds(g):
		return []deletion{back}
	case r.At > (began+apiRequest).Truncate(time.Second)+seconds(g):
		return []deletion{over}
	}
	return []deletion{back, over}
}

// anyExpired reports whether one of several deletions may have been moved to now.
func anyExpired(all []deletion) bool {
	return slices.ContainsFunc(all, func(d deletion) bool { return d.expired })
}

// DeletionGrace is the deletionGracePeriodSeconds in the API after a delete request.
var DeletionGrace = Formula{
	ID: "deletion/grace-seconds",
	Says: "the API server stores the request's grace period, else the pod's; negative becomes one second, a pod " +
		"without a node or in a terminal phase gets none, and a later request can only shorten it",
	Source: "pkg/registry/core/pod/strategy.go CheckGracefulDelete; apiserver pkg/registry/rest/delete.go BeforeDelete",
	Of:     APIServer,
	Implemented: func(in Input) Window {
		all := in.deletions()
		t := Term{Name: "deletionGracePeriodSeconds", Earliest: all[0].grace, Latest: all[0].grace}
		for _, d := range all[1:] {
			t = Term{
				Name:     t.Name + ", or one if the time is already over",
				Earliest: min(t.Earliest, d.grace),
				Latest:   max(t.Latest, d.grace),
			}
		}
		return window(Seconds, t)
	},
	Documented: func(in Input) *Window {
		d, k := in.deletion(), in.Kill
		switch {
		case k.Ended,
			anyExpired(in.deletions()),
			k.GracePeriodSeconds == nil && k.TerminationGracePeriodSeconds < 0,
			k.GracePeriodSeconds != nil && *k.GracePeriodSeconds < 0:
			return nil
		}
		return new(window(Seconds, Term{Name: "the shortest that was requested", Earliest: d.grace, Latest: d.grace}))
	},
	Promise: "A delete request's grace period, zero included, overrides the pod's. Once set, it can only be " +
		"shortened.",
	DocumentedAt: deleteOptionsPage,
}

// DeletionShift is by how many whole seconds a later delete request moves deletionTimestamp.
var DeletionShift = Formula{
	ID: "deletion/timestamp-shift",
	Says: "a shorter second delete moves deletionTimestamp back by the difference, at most to now; an equal or " +
		"longer one does not move it",
	Source: "apiserver pkg/registry/rest/delete.go BeforeDelete",
	Of:     APIServer,
	Implemented: func(in Input) Window {
		all := in.deletions()
		low, high := all[0].shift.Low, all[0].shift.High
		for _, d := range all[1:] {
			low, high = min(low, d.shift.Low), max(high, d.shift.High)
		}
		return window(
			Seconds,
			Term{
				Name:     "difference to the first delete",
				Earliest: int64(low / time.Second),
				Latest:   int64(high / time.Second),
			},
		)
	},
	Documented: func(in Input) *Window {
		d := in.deletion()
		if anyExpired(in.deletions()) {
			return nil
		}
		n := int64(d.shift.Low / time.Second)
		return new(window(Seconds, Term{Name: "difference to the first delete", Earliest: n, Latest: n}))
	},
	Promise:      "deletionTimestamp never moves further into the future, but may move back.",
	DocumentedAt: objectMetaPage,
}

// DeletionBegan is the time from a delete request to deletionTimestamp less deletionGracePeriodSeconds.
var DeletionBegan = Formula{
	ID:          "deletion/began",
	Says:        "deletionTimestamp is the time of the delete plus the grace period, cut to whole seconds",
	Source:      "apiserver pkg/registry/rest/delete.go BeforeDelete; apimachinery metav1.Time",
	Of:          APIServer,
	Implemented: always(span(upTo("API server", apiRequest))),
	Documented:  promised(always(span(upTo("API server", apiRequest)))),
	Promise: "deletionTimestamp is when a pod is expected to be gone: the time of the delete plus its grace " +
		"period.",
	DocumentedAt: objectMetaPage,
}

// TaintDeletion is the time from a NoExecute taint to the delete of a pod.
var TaintDeletion = Formula{
	ID: "deletion/taint",
	Says: "a pod is deleted tolerationSeconds after its node is tainted, and at once if it does not tolerate " +
		"the taint",
	Source:      "pkg/controller/tainteviction/taint_eviction.go processPodOnNode, getMinTolerationTime",
	Of:          Controller,
	Implemented: taintDeletion,
	Documented:  promised(taintDeletion),
	Promise: "A pod that does not tolerate the taint is evicted at once. One with tolerationSeconds stays bound " +
		"for that time.",
	DocumentedAt: "https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/#taint-based-evictions",
}

func taintDeletion(in Input) Window {
	stays := time.Duration(0)
	if s := in.Kill.TolerationSeconds; s != nil {
		stays = seconds(*s)
	}
	return span(exactly("tolerationSeconds", stays),
		upTo("taint's write", apiRequest),
		upTo("watch", watchLatency),
		upTo("controller's delete", apiRequest),
	)
}

// DisruptionCondition is the time from an eviction through the API to the pod's condition DisruptionTarget.
var DisruptionCondition = Formula{
	ID:          "deletion/disruption-condition",
	Says:        "an eviction through the API writes the pod's condition DisruptionTarget before it deletes the pod",
	Source:      "pkg/registry/core/pod/storage/eviction.go addConditionAndDeletePod",
	Of:          APIServer,
	Implemented: always(span(upTo("API server", apiRequest), upTo("watch", watchLatency))),
}

// EvictionRefused is the HTTP status of an eviction that a PodDisruptionBudget does not allow.
var EvictionRefused = Formula{
	ID:          "deletion/eviction-refused",
	Says:        "an eviction that the pod's disruption budget does not allow is refused with status 429",
	Source:      "pkg/registry/core/pod/storage/eviction.go checkAndDecrement",
	Of:          APIServer,
	Implemented: always(window(Status, Term{Name: "Too Many Requests", Earliest: 429, Latest: 429})),
	Documented:  promised(always(window(Status, Term{Name: "Too Many Requests", Earliest: 429, Latest: 429}))),
	Promise:     "429 Too Many Requests means that a disruption budget does not currently allow the eviction.",
	DocumentedAt: "https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/#" +
		"how-api-initiated-eviction-works",
}

// LivesOn is how often a life is ended without a reason.
var LivesOn = Formula{
	ID:           "deletion/lives-on",
	Says:         "a container keeps running if its pod's deletion is called off",
	Source:       "pkg/controller/tainteviction/taint_eviction.go processPodOnNode (cancelWorkWithEvent)",
	Of:           Controller,
	Implemented:  always(count("ends", 0)),
	Documented:   promised(always(count("ends", 0))),
	Promise:      "If the taint is removed before tolerationSeconds are over, the pod is not evicted.",
	DocumentedAt: TaintDeletion.DocumentedAt,
}

// ObjectEnded is the time from a delete request to the end of the object of a pod without a process to kill.
var ObjectEnded = Formula{
	ID:          "deletion/object-without-process",
	Says:        "a pod that has no node yet, or is in a terminal phase, is deleted at once",
	Source:      ObjectForced.Source,
	Of:          APIServer,
	Implemented: always(span(upTo("watch", watchLatency))),
}

// DeathAfterObject is the time from the end of a pod's object, by a delete without a grace period, to the death of a
// process that ignores SIGTERM.
var DeathAfterObject = Formula{
	ID: "deletion/death-after-object",
	Says: "a delete without a grace period removes the object before the process is dead; the process has all of " +
		"the grace period that the first delete gave it",
	Source: "pkg/registry/core/pod/strategy.go CheckGracefulDelete; pkg/kubelet/pod_workers.go " +
		"calculateEffectiveGracePeriod",
	Of: APIServer,
	Implemented: func(in Input) Window {
		terms := append(
			deleteToKill(),
			between("the object is gone before the kill begins", -watchLatency, 0),
			in.hookTerm(),
			in.remainderTerm(),
		)
		if n := len(in.Deletes); n > 1 {
			terms = append(
				terms, exactly("the delete that began the kill was earlier", in.Deletes[0].At-in.Deletes[n-1].At),
			)
		}
		return span(terms...)
	},
}

// ShortenedRemainder is the time from the stop signal of a first delete to the death of a process without a hook, if
// a second delete shortens the grace period meanwhile.
var ShortenedRemainder = Formula{
	ID: "deletion/shortened-remainder",
	Says: "a second, shorter delete has no effect while the container is being stopped: SIGKILL comes when the " +
		"first delete's grace period ends",
	Source: "pkg/kubelet/pod_workers.go UpdatePod (the cancelled context reaches no StopContainer); " +
		"pkg/kubelet/kubelet.go SyncTerminatingPod",
	Implemented: func(in Input) Window {
		return Remainder.Implemented(in)
	},
	Documented: func(in Input) *Window {
		w := in.shortened()
		if in.deletion().grace == 0 {
			w = w.With(
				upTo(
					"a small grace period of the kubelet's own, after a force delete",
					seconds(minimumGracePeriodInSeconds),
				),
			)
		}
		return &w
	},
	Promise: "deletionTimestamp may move back. When it is reached, the kubelet sends SIGKILL. After a force delete " +
		"the processes have a small grace period.",
	DocumentedAt: objectMetaPage,
	Issues:       issues(shortening),
}

// shortened returns the time from the first delete's SIGTERM to SIGKILL if the kubelet obeyed the later deletes.
func (in Input) shortened() Window {
	d, after := in.deletion(), time.Duration(0)
	if n := len(in.Deletes); n > 1 {
		after = in.Deletes[n-1].At - in.Deletes[0].At
	}
	return span(between("SIGTERM after the first delete", -(watchLatency+plegRelist+runtimeLatency), 0),
		exactly(
			"shortened grace period, counted from the first delete, not before the second",
			max(seconds(d.grace), after),
		),
		upTo("watch of the second delete", watchLatency),
		upTo("runtime", runtimeLatency),
	)
}

// Rivals of the deletion formulas.
var (
	// ShorteningObeyed is a kubelet that obeys the second delete, as pull requests since 2021 want.
	ShorteningObeyed = Rival{Name: "the second delete's shorter grace period is obeyed", Reference: "kubernetes#83916",
		Would: func(in Input) Window {
			return in.shortened().
				With(upTo("a new kill, with two seconds at least", seconds(minimumGracePeriodInSeconds)))
		},
	}
	// WaitsWithoutMinimum reports a kill as too long before ten seconds are over.
	WaitsWithoutMinimum = Rival{
		Name:      "the kubelet waits for one and a half grace periods, without the minimum of ten seconds",
		Reference: "kubernetes#41347",
		Would: func(in Input) Window {
			g := max(1, in.asked())
			return span(exactly("1.5 grace periods, a second at least", seconds(g+g/2)),
				between("events on their way", -eventWay, eventWay),
			)
		},
	}
	// TolerationIgnored deletes the pod at once.
	TolerationIgnored = Rival{
		Name: "tolerationSeconds is ignored", Reference: "taint_eviction.go getMinTolerationTime",
		Would: func(in Input) Window {
			in.Kill.TolerationSeconds = nil
			return taintDeletion(in)
		},
	}
)
