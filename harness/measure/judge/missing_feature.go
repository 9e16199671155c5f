package judge

// missingFeature applies if the kubelet lacks a change of Kubernetes that the trial needs.
func missingFeature(c *trialCase) string { return c.trial.Unsupported(c.kubelet) }
