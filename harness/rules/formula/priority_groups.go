package formula

import (
	"slices"
	"time"
)

// PriorityGroup are the pods that a graceful node shutdown ends at one time.
type PriorityGroup struct {
	// Priority is the lowest of its pods. The first group also has those below its own.
	Priority int32 `json:"priority"`
	// Seconds are the longest grace period of its pods, and how long the next group waits for them.
	Seconds int64 `json:"shutdownGracePeriodSeconds"`
}

// PriorityGroupsOf returns the groups of a configuration that gives shutdownGracePeriod and
// shutdownGracePeriodCriticalPods (pkg/kubelet/nodeshutdown/nodeshutdown_manager.go migrateConfig).
func PriorityGroupsOf(all, critical time.Duration) []PriorityGroup {
	if all == 0 || critical > all {
		return nil
	}
	return []PriorityGroup{
		{Seconds: int64((all - critical) / time.Second)},
		{Priority: systemCriticalPriority, Seconds: int64(critical / time.Second)},
	}
}

// systemCriticalPriority is the lowest priority of a critical pod (pkg/apis/scheduling/types.go,
// SystemCriticalPriority).
const systemCriticalPriority = 2_000_000_000

// secondsOf returns the seconds of a priority's group, or of one so many groups before it, 0 without such a group
// (nodeshutdown_manager.go groupByPriority).
func secondsOf(groups []PriorityGroup, priority int32, before int) int64 {
	next := slices.IndexFunc(groups, func(g PriorityGroup) bool { return g.Priority > priority })
	if next < 0 {
		next = len(groups)
	}
	if i := max(0, next-1) - before; i >= 0 && i < len(groups) {
		return groups[i].Seconds
	}
	return 0
}
