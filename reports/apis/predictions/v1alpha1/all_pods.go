package v1alpha1

// AllPods is what happens to all pods of a workload, while its other pods stay available and new ones start.
type AllPods struct {
	// Rollout lasts from a change of the pod template until the last new pod is available. It is missing if the
	// controller replaces no pods.
	Rollout *Passage `json:"rollout,omitempty"`
	// ScaleDown removes all pods. It is missing for a DaemonSet.
	ScaleDown *Passage `json:"scaleDown,omitempty"`
	// Drain evicts all pods as their PodDisruptionBudget allows. It is missing if the manifests have none for them.
	Drain *Passage `json:"drain,omitempty"`
}

// Passage is how all pods of a workload are replaced or removed.
type Passage struct {
	// Never is why they never are. If it is set, the rest is missing.
	Never string `json:"never,omitempty"`
	// Pods is how many are replaced or removed. It is missing if their number is not known.
	Pods int `json:"pods,omitempty"`
	// PodsAtOnce is how many go at a time. It is missing if all do.
	PodsAtOnce int `json:"podsAtOnce,omitempty"`
	// ShareAtOnce is what goes at a time, if it is a share of an unknown number.
	ShareAtOnce string `json:"shareAtOnce,omitempty"`
	// SecondsMin is the shortest sum of the times that are known. Without pods, it is of those that go at a time.
	SecondsMin *float64 `json:"secondsMin,omitempty"`
	// SecondsMax is the longest such sum.
	SecondsMax *float64 `json:"secondsMax,omitempty"`
	// PodStarts is how many pods start one after another, at most. Add to the seconds for each what it needs until its
	// main containers run: scheduling, images, volumes, init containers.
	PodStarts int `json:"podStarts,omitempty"`
}
