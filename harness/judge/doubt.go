package judge

// doubted applies if the timeline has a doubt, such as a loss.
func doubted(c *claimCase) (string, bool) {
	if len(c.doubts) == 0 {
		return "", false
	}
	return c.doubts[0], true
}
