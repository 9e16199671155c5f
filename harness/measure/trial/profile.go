package trial

import "time"

// Profile is a part of the catalogue.
type Profile string

const (
	// Quick has the trials of at most QuickBound that are not nightly.
	Quick Profile = "quick"
	// Full has every trial.
	Full Profile = "full"
)

// QuickBound bounds the trials of Quick.
const QuickBound = 3 * time.Minute

// Holds reports whether a trial belongs to the profile. It does not ask whether a subject can run the trial.
func (p Profile) Holds(t Trial) bool { return p == Full || t.Lasts <= QuickBound && !t.Nightly }
