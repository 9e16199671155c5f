package judge

// outsideDocumented applies if the value is outside what the documentation promises.
func outsideDocumented(c *claimCase) (string, bool) {
	if c.finding.Documented == nil {
		return "", false
	}
	miss := c.finding.Documented.Miss(c.finding.Measured.Value)
	if miss == 0 {
		return "", false
	}
	return c.measured() + ", as the code computes; documented is " + outside(*c.finding.Documented, miss), true
}
