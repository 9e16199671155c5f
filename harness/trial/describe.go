package trial

import "time"

// Profile is a part of the catalogue that a run offers.
type Profile string

const (
	// Quick is every trial that takes at most QuickLasts.
	Quick Profile = "quick"
	// Full is every trial.
	Full Profile = "full"
)

// QuickLasts is the longest that a trial of the profile Quick may take.
const QuickLasts = 3 * time.Minute

// Profile is the smallest profile that the trial belongs to.
func (t Trial) Profile() Profile {
	if t.Lasts <= QuickLasts {
		return Quick
	}
	return Full
}
