package repeats

import (
	"time"

	"github.com/podclock/podclock/harness/run"
)

// What a folder of repeats holds beside its rounds.
const (
	// RepeatFile is the report for people, RepeatClaimsFile every claim's distribution, RepeatJSON both for programs.
	RepeatFile       = "repeat.md"
	RepeatClaimsFile = "repeat-claims.md"
	RepeatJSON       = "repeat.json"
)

// repeatPrefix begins the names of the folders of repeats, which lie among those of runs.
const repeatPrefix = "repeat-"

// RepeatFolder creates the folder of repeats that began at a time.
func RepeatFolder(out string, started time.Time) (string, error) {
	dir, _, err := run.NewFolder(out, repeatPrefix, started)
	return dir, err
}
