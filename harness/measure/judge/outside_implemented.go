package judge

// outsideImplemented applies if the value is outside what the kubelet's code computes.
func outsideImplemented(c *claimCase) (string, bool) {
	miss := c.finding.Implemented.Miss(c.finding.Measured.Value)
	if miss == 0 {
		return "", false
	}
	if c.claim.Measure.OfReports() {
		return c.claim.Measure.Misreport(c.timeline), true
	}
	return c.measured() + ", " + outside(c.finding.Implemented, miss), true
}
