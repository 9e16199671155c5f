package detection

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Together merges several reports of one version: the lanes and problems of all. It has ended if all have.
// Reports of different versions are an error.
func Together(proofs ...Report) (Report, error) {
	if len(proofs) == 0 {
		return Report{}, fmt.Errorf("no sensitivity report to read: name the folder of one, such as out/%s", LatestLink)
	}
	whole := proofs[0]
	ids, revisions := []string{whole.ID}, []string{whole.Environment.Podclock}
	for _, p := range proofs[1:] {
		if p.Version != whole.Version {
			return Report{}, fmt.Errorf(
				"sensitivity report %s is of %s and %s is of %s: name reports of one version",
				proofs[0].ID,
				whole.Version,
				p.ID,
				p.Version,
			)
		}
		ids = append(ids, p.ID)
		if !slices.Contains(revisions, p.Environment.Podclock) {
			revisions = append(revisions, p.Environment.Podclock)
		}
		whole.Lanes = slices.Concat(whole.Lanes, p.Lanes)
		whole.Problems = slices.Concat(whole.Problems, p.Problems)
		if p.Ended.IsZero() {
			whole.Ended = time.Time{}
		}
	}
	whole.ID, whole.Environment.Podclock = strings.Join(ids, ", "), strings.Join(revisions, ", ")
	return whole, nil
}
