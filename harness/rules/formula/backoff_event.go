package formula

import "time"

const backOffEventSource = "pkg/kubelet/kuberuntime/kuberuntime_manager.go doBackOff (BackOffStartContainer); " +
	"pkg/kubelet/pod_workers.go completeWork"

// BackOffReported is the time from the end of a life that its container's back-off follows to the first event of that
// back-off.
var BackOffReported = Formula{
	ID:          "restarts/back-off-reported",
	Description: "the sync that sees the end of a container reports its back-off as the event BackOff",
	Source:      backOffEventSource,
	Implemented: always(span(relist, events)),
}

// BackOffEvents is how many events BackOff a container has caused until a life begins, in a pod of one container that
// ends by itself.
var BackOffEvents = Formula{
	ID: "restarts/back-off-events",
	Description: "each sync during a back-off reports it: once, and again every sixty to ninety seconds; up to 1.34, every " +
		"ten to fifteen seconds",
	Source:      backOffEventSource,
	Implemented: backOffEvents,
}

func backOffEvents(in Input) Window {
	all := Term{Name: "syncs during back-offs"}
	for life := 1; life < in.Life; life++ {
		least, most := -1, 0
		for _, b := range in.backOffs(life) {
			few, many := in.backOffSyncs(b)
			if least < 0 || few < least {
				least = few
			}
			if many > 0 && in.syncedLate(life) {
				many++
			}
			most = max(most, many)
		}
		all.Earliest += int64(least)
		all.Latest += int64(most)
	}
	return window(Count, all)
}

// backOffSyncs returns how many syncs come during a back-off: the one that sees the end, and later ones.
func (in Input) backOffSyncs(b time.Duration) (least, most int) {
	shortest := backOffPeriod
	if in.Kubelet.Has(RequeueAtExpiry) {
		shortest = in.Kubelet.resyncInterval()
	}
	if b > 0 {
		most = 1 + int((b-1)/shortest)
	}
	if first := PLEGRelist + in.Delay; first < b {
		least = 1 + int((b-first)/(in.Kubelet.requeue(maxCrashLoopBackOff)+in.Delay))
	}
	return min(least, most), most
}

// ReportedAtEachPoll reports a back-off every ten to fifteen seconds.
var ReportedAtEachPoll = mistake("a back-off is reported every ten to fifteen seconds, as up to 1.34",
	"kubernetes#123602", func(in Input) Window {
		in.Kubelet.Gates, in.Kubelet.Version = nil, "v1.34.0"
		return backOffEvents(in)
	})
