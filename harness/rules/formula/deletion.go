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
	// shift is by how many seconds deletionTimestamp has moved.
	shift Range
	// expired reports that a request would have moved it into the past.
	expired bool
}

func (in Input) deletion() deletion { return in.deletions()[0] }

// deletions follows the requests (apiserver pkg/registry/rest/delete.go BeforeDelete): a later one only shortens, and
// since [DeletionNotPast] not into the past. There are several results if the measured times leave that open.
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

func (in Input) shortens(d deletion, r Delete) []deletion {
	g, first := *r.GracePeriodSeconds, in.Kill.deletionGracePeriodSeconds()
	if g < 0 {
		g = 1
	}
	if d.grace == 0 || g >= d.grace {
		return []deletion{d}
	}
	back := deletion{grace: g, shift: Range{Low: seconds(g - first), High: seconds(g - first)}, expired: d.expired}
	if !in.Kubelet.Serves(DeletionNotPast) {
		return []deletion{back}
	}
	// Both instants are cut to whole seconds, and both requests take time.
	request := apiRequest + in.Delay
	now := (r.At - in.Deletes[0].At).Truncate(time.Second) - seconds(first)
	over := deletion{
		grace:   min(g, 1),
		shift:   Range{Low: now - request, High: now + time.Second + request},
		expired: true,
	}
	// The moved deletionTimestamp counts from the first request, cut to whole seconds.
	began := in.Deletes[0].At
	switch {
	case r.At+request <= began.Truncate(time.Second)+seconds(g):
		return []deletion{back}
	case r.At > (began+request).Truncate(time.Second)+seconds(g):
		return []deletion{over}
	}
	return []deletion{back, over}
}

func anyExpired(all []deletion) bool {
	return slices.ContainsFunc(all, func(d deletion) bool { return d.expired })
}

// DeletionGrace is deletionGracePeriodSeconds after a delete request.
var DeletionGrace = Formula{
	ID: "deletion/grace-seconds",
	Description: "the API server stores the request's grace period, else the pod's, and later requests only shorten it; it " +
		"makes a negative one 1, and 0 for a pod that has no node or has ended",
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
	Promise:      "A delete request's grace period overrides the pod's. Once set, it can only be shortened.",
	DocumentedAt: deleteOptionsPage,
}

// DeletionShift is by how many seconds a later delete moves deletionTimestamp.
var DeletionShift = Formula{
	ID:          "deletion/timestamp-shift",
	Description: "a shorter second delete moves deletionTimestamp back by the difference, at most to now",
	Source:      "apiserver pkg/registry/rest/delete.go BeforeDelete",
	Of:          APIServer,
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

// DeletionBegan is the time from a delete request to deletionTimestamp less the grace period.
var DeletionBegan = documented(Formula{
	ID:          "deletion/began",
	Description: "deletionTimestamp is the time of the delete plus the grace period, cut to whole seconds",
	Source: "apiserver pkg/registry/rest/delete.go BeforeDelete; apimachinery pkg/apis/meta/v1/time.go " +
		"MarshalJSON",
	Of:           APIServer,
	Implemented:  always(span(atAPIServer)),
	Promise:      "deletionTimestamp is the time of the delete plus the pod's grace period.",
	DocumentedAt: objectMetaPage,
})

// TaintDeletion is the time from a NoExecute taint to a pod's delete.
var TaintDeletion = documented(Formula{
	ID:           "deletion/taint",
	Description:  "a pod is deleted tolerationSeconds after its node is tainted, at once without a toleration",
	Source:       "pkg/controller/tainteviction/taint_eviction.go processPodOnNode, getMinTolerationTime",
	Of:           Controller,
	Implemented:  taintDeletion,
	Promise:      "A pod that does not tolerate the taint is evicted at once, others after tolerationSeconds.",
	DocumentedAt: "https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/#taint-based-evictions",
})

func taintDeletion(in Input) Window {
	stays := time.Duration(0)
	if s := in.Kill.TolerationSeconds; s != nil {
		stays = seconds(max(0, *s)) // getMinTolerationTime
	}
	return span(exactly("tolerationSeconds", stays),
		upTo("taint's write", apiRequest),
		watched,
		upTo("controller's delete", apiRequest),
	)
}

// SecondTaint is the time from a tolerated taint to the pod's delete if a second taint comes meanwhile, which the pod
// tolerates for so many seconds, or not at all if there are none.
func SecondTaint(tolerationSeconds int64) Formula {
	f := TaintDeletion
	f.ID = "deletion/second-taint"
	f.Description = "a second taint does not move the end of the first one's tolerationSeconds, even if its own end " +
		"earlier; a pod that does not tolerate it is deleted at once"
	f.Source = "pkg/controller/tainteviction/taint_eviction.go processPodOnNode (scheduledEviction)"
	f.Implemented = func(in Input) Window {
		if tolerationSeconds > 0 {
			return taintDeletion(in)
		}
		return in.taintedTwice(0)
	}
	f.Documented = promised(func(in Input) Window { return in.taintedTwice(tolerationSeconds) })
	f.Promise = "A pod stays for the tolerationSeconds of each taint after that taint was added, at most."
	f.Issues = issues(NoIssueKnown)
	return f
}

// taintedTwice returns the window of a pod that is deleted when the first of two tolerations ends.
func (in Input) taintedTwice(tolerationSeconds int64) Window {
	w := taintDeletion(in)
	if len(in.Deletes) < 2 {
		return w
	}
	second := in.Deletes[1].At - in.Deletes[0].At + seconds(tolerationSeconds)
	if first := time.Duration(w.Terms[0].Latest); first > second {
		return w.With(exactly("the second taint's tolerationSeconds end earlier", second-first))
	}
	return w
}

// DisruptionCondition is the time from an eviction to the pod's condition DisruptionTarget.
var DisruptionCondition = Formula{
	ID:          "deletion/disruption-condition",
	Description: "an eviction through the API writes the condition DisruptionTarget before the delete",
	Source:      "pkg/registry/core/pod/storage/eviction.go addConditionAndDeletePod",
	Of:          APIServer,
	Implemented: always(span(atAPIServer, watched)),
}

// EvictionRefused is the HTTP status of a refused eviction.
var EvictionRefused = documented(Formula{
	ID:          "deletion/eviction-refused",
	Description: "an eviction that the disruption budget does not allow is refused with status 429",
	Source:      "pkg/registry/core/pod/storage/eviction.go checkAndDecrement",
	Of:          APIServer,
	Implemented: always(window(Status, Term{Name: "Too Many Requests", Earliest: 429, Latest: 429})),
	Promise:     "429 means that a disruption budget does not allow the eviction.",
	DocumentedAt: "https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/#" +
		"how-api-initiated-eviction-works",
})

// EvictionAllowed is the HTTP status of a refusal, 0 for an eviction that the disruption budget allows.
var EvictionAllowed = documented(Formula{
	ID: "deletion/eviction-allowed",
	Description: "a disruption budget allows the eviction of a pod if more pods are healthy than it demands; of a pod that " +
		"is not ready, if as many are healthy, or with unhealthyPodEvictionPolicy AlwaysAllow; a dry run uses up nothing",
	Source:       "pkg/registry/core/pod/storage/eviction.go Create, checkAndDecrement, addConditionAndDeletePod",
	Of:           APIServer,
	Implemented:  always(window(Status, Term{Name: "no refusal"})),
	Promise:      "An eviction that respects the disruption budget is carried out.",
	DocumentedAt: "https://kubernetes.io/docs/tasks/run-application/configure-pdb/#unhealthy-pod-eviction-policy",
})

// PreconditionFailed is the HTTP status of a delete or an eviction that demands another UID or resourceVersion.
var PreconditionFailed = documented(Formula{
	ID:          "deletion/precondition-failed",
	Description: "a delete or an eviction whose preconditions name another UID or resourceVersion is refused with status 409",
	Source: "apiserver pkg/registry/rest/delete.go BeforeDelete; pkg/registry/core/pod/storage/eviction.go " +
		"addConditionAndDeletePod",
	Of:           APIServer,
	Implemented:  always(window(Status, Term{Name: "Conflict", Earliest: 409, Latest: 409})),
	Promise:      "If a precondition is not met, the status is 409 and nothing is deleted.",
	DocumentedAt: deleteOptionsPage,
})

// UnreadyPreconditionFailed is [PreconditionFailed] of a pod that is not ready, and that a disruption budget selects.
var UnreadyPreconditionFailed = Formula{
	ID: "deletion/unready-precondition-failed",
	Description: "an eviction of a pod that is not ready is refused with status 429 if its preconditions name another UID: " +
		"the API server adds the resourceVersion that it has checked, and takes any conflict for one with that",
	Source:       "pkg/registry/core/pod/storage/eviction.go Create (updateDeletionOptions)",
	Of:           APIServer,
	Implemented:  EvictionRefused.Implemented,
	Documented:   PreconditionFailed.Documented,
	Promise:      PreconditionFailed.Promise,
	DocumentedAt: deleteOptionsPage,
}

// EvictionOfTwoBudgets is the HTTP status of an eviction of a pod that two disruption budgets select.
var EvictionOfTwoBudgets = documented(Formula{
	ID:           "deletion/eviction-of-two-budgets",
	Description:  "an eviction is refused with status 500 if more than one disruption budget selects the pod",
	Source:       "pkg/registry/core/pod/storage/eviction.go Create",
	Of:           APIServer,
	Implemented:  always(window(Status, Term{Name: "Internal Server Error", Earliest: 500, Latest: 500})),
	Promise:      "500 means a misconfiguration, such as several disruption budgets that select the pod.",
	DocumentedAt: EvictionRefused.DocumentedAt,
})

// LivesOn is how often a life ends without a reason.
var LivesOn = documented(Formula{
	ID:           "deletion/lives-on",
	Description:  "a container keeps running if its pod's deletion is called off",
	Source:       "pkg/controller/tainteviction/taint_eviction.go processPodOnNode (cancelWorkWithEvent)",
	Of:           Controller,
	Implemented:  always(count("ends", 0)),
	Promise:      "If the taint is removed before tolerationSeconds are over, the pod is not evicted.",
	DocumentedAt: TaintDeletion.DocumentedAt,
})

// ObjectEnded is the time from a delete to the object's end if there is no process to kill.
var ObjectEnded = Formula{
	ID:          "deletion/object-without-process",
	Description: "a pod that has no node yet, or is in a terminal phase, is deleted at once",
	Source:      ObjectForced.Source,
	Of:          APIServer,
	Implemented: always(span(watched)),
}

// DeathAfterObject is the time from the object's end, by a delete without a grace period, to the death.
var DeathAfterObject = Formula{
	ID:          "deletion/death-after-object",
	Description: "a delete without a grace period removes the object; the process keeps the first delete's grace period",
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

// ShortenedRemainder is the time from a first delete's SIGTERM to the death if a second delete is shorter.
var ShortenedRemainder = Formula{
	ID:          "deletion/shortened-remainder",
	Description: "a second, shorter delete has no effect on a container that is being stopped",
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
	Promise:      "SIGKILL comes at deletionTimestamp. A force delete leaves a small grace period.",
	DocumentedAt: objectMetaPage,
	Issues:       issues(shortening),
}

// StartsNoMore is how many lives a container has had that had not started when its pod was deleted.
var StartsNoMore = documented(Formula{
	ID:           "deletion/starts-no-more",
	Description:  "a deleted pod starts no further container, even if an init container succeeds",
	Source:       "pkg/kubelet/pod_workers.go podWorkerLoop (a terminating pod has no SyncPod)",
	Implemented:  always(count("lives", 0)),
	Promise:      "The kubelet begins the shutdown of a pod as soon as it sees that the pod is terminating.",
	DocumentedAt: terminationPage,
})

// shortened returns the time from the first delete's SIGTERM to SIGKILL if the kubelet obeyed later deletes.
func (in Input) shortened() Window {
	d, after := in.deletion(), time.Duration(0)
	if n := len(in.Deletes); n > 1 {
		after = in.Deletes[n-1].At - in.Deletes[0].At
	}
	p, end := in.hookPart(), max(seconds(d.grace), after)
	return span(between("SIGTERM after the first delete", -(watchLatency+PLEGRelist+runtimeLatency), 0),
		between(
			"shortened grace period, counted from the first delete, not before the second, less the hook",
			max(0, end-p.High), max(0, end-p.Low),
		),
		upTo("watch of the second delete", watchLatency),
		atRuntime,
	)
}

// Mistakes of the deletion formulas.
var (
	// ShorteningObeyed obeys the second delete.
	ShorteningObeyed = mistake("the second delete's shorter grace period is obeyed", "kubernetes#83916",
		func(in Input) Window {
			return in.shortened().
				With(upTo("a new kill, with two seconds at least", seconds(minimumGracePeriodInSeconds)))
		})
	// WaitsWithoutMinimum lacks the minimum of ten seconds.
	WaitsWithoutMinimum = mistake(
		"the kubelet waits for one and a half grace periods, without the minimum of ten seconds",
		"kubernetes PR 42015", func(in Input) Window {
			g := max(1, in.asked())
			return span(exactly("1.5 grace periods, a second at least", seconds(g+g/2)),
				events,
			)
		})
	// SecondBudgetIgnored counts one budget.
	SecondBudgetIgnored = mistake("only the first of several disruption budgets counts", "eviction.go Create",
		EvictionRefused.Implemented)
	// TolerationIgnored deletes the pod at once.
	TolerationIgnored = distorted("tolerationSeconds is ignored", "taint_eviction.go getMinTolerationTime",
		func(in Input) Input {
			in.Kill.TolerationSeconds = nil
			return in
		})
)

// TaintBeginsAgain counts the shortest tolerationSeconds from the second taint, which the pod tolerates for so many.
func TaintBeginsAgain(tolerationSeconds int64) Mistake {
	return mistake("a second taint begins tolerationSeconds again", "taint_eviction.go processPodOnNode",
		func(in Input) Window {
			if n := len(in.Deletes); n > 1 && in.Kill.TolerationSeconds != nil {
				in.Kill.TolerationSeconds = new(min(tolerationSeconds, *in.Kill.TolerationSeconds))
				return taintDeletion(in).With(exactly("until the second taint", in.Deletes[n-1].At-in.Deletes[0].At))
			}
			return taintDeletion(in)
		})
}
