package judge

// inside applies to every other measured value.
func inside(*claimCase) (string, bool) { return "", true }
