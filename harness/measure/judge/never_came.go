package judge

// neverCame applies to every other missing value.
func neverCame(c *claimCase) (string, bool) {
	if c.timeline.Cut != "" {
		return c.timeline.Cut, true
	}
	return c.missing + " never came, so this could not be measured", true
}
