package kubelet

// evictionMutations break what is evicted, when, and how it is killed.
func evictionMutations() []Mutation {
	return []Mutation{}
}
