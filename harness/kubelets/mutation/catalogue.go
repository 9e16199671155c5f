package mutation

import "slices"

// All returns the known mutations, grouped by what they break.
func All() []Mutation {
	all := slices.Concat(
		streakMutations(), tickMutations(), startupMutations(), handlerMutations(),
		lateMutations(),
		graceMutations(), hookMutations(), sidecarMutations(),
		effectiveGraceMutations(), killWaitMutations(), requeueMutations(), deadlineMutations(),
		seriesMutations(), backOffMutations(), memoryMutations(), restartCountMutations(), restartCauseMutations(),
		resizeMutations(),
		evictionGraceMutations(), evictionFoundMutations(), evictionEndMutations(),
		podStrategyMutations(), laterDeleteMutations(), laterEvictionMutations(), taintMutations(),
		reportMutations(),
		probeWorkerMutations(), probeAnswerMutations(), probeManagerMutations(), probeUpdateMutations(),
		killMutations(), actionMutations(), waitMutations(),
		podSyncMutations(), phaseMutations(), containerStatusMutations(),
		thresholdMutations(), choiceMutations(), refusalMutations(), evictionMutations(), shutdownMutations(),
		orphanMutations(),
		podDeleteMutations(), podEvictionMutations(), controllerMutations(),
		startMutations(), requestMutations(),
	)
	for i := range all {
		if all[i].Component == "" {
			all[i].Component = Kubelet
		}
	}
	return all
}

// Find returns the mutation of that name.
func Find(name string) (Mutation, bool) {
	all := All()
	i := slices.IndexFunc(all, func(m Mutation) bool { return m.Name == name })
	if i < 0 {
		return Mutation{}, false
	}
	return all[i], true
}

// Names returns the names of all mutations, in the order of [All].
func Names() []string {
	var names []string
	for _, m := range All() {
		names = append(names, m.Name)
	}
	return names
}
