package timeline

// doubtRemoved doubts a timeline in which the instance before was removed too soon. A kubelet keeps the
// newest dead instance of each container, as its back-off counts from the end of that one. But once a
// minute its garbage collection takes all but the newest that does not run
// (pkg/kubelet/kuberuntime/kuberuntime_gc.go evictableContainers): where it looks in the moment in which a
// new instance is created and does not run yet, that one is the newest, and the dead one before it goes.
// When a probe kills the new instance, doBackOff finds no dead one, starts the next at once, and the series
// is a step behind from then on. Such restarts were seen three times in some thousand runs of such pods,
// and made to happen: of 45 pods whose second restart came while a node collected, five lost the dead
// instance, by the container runtime's log, and in the four that lived on the fourth restart came at once,
// where all others waited 20 s. A kubelet built to collect fifty times a second loses it at every restart,
// and never backs off. No issue is known.
func (t *Timeline) doubtRemoved(removals []Removal) {
	for _, r := range removals {
		next := t.Life(r.Container, r.Life+1)
		if next == nil || next.Gone != nil && next.Gone.At <= r.At {
			continue // it was not the newest dead one any more
		}
		t.doubtOnce(
			"the kubelet's garbage collection removed life %d of container %s when life %d was created but did not run yet: its back-off counts from nothing then",
			r.Life,
			r.Container,
			next.Number,
		)
	}
}
