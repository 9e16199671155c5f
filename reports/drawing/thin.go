package drawing

import (
	"fmt"
	"strings"
	"time"
)

// cluster is several marks of one kind that are drawn as one.
type cluster []Mark

const (
	// nearest is the part of a picture's width within which marks are one: three pixels of a wide screen.
	nearest = 0.0025
	// mostMarks is the number of marks in a lane. The distance within a cluster is doubled until they fit.
	mostMarks = 150
	// mostListed is the number of marks of a cluster that its title lists.
	mostListed = 4
)

// thin groups marks that are sorted by time. It returns the greatest distance within a cluster.
func (s scale) thin(marks []Mark) ([]cluster, time.Duration) {
	for near := time.Duration(float64(s.span) * nearest); ; near *= 2 {
		if all := clusters(marks, near); len(all) <= mostMarks {
			return all, near
		}
	}
}

func clusters(marks []Mark, near time.Duration) []cluster {
	var all []cluster
	newest := map[MarkKind]int{}
	for _, m := range marks {
		i, known := newest[m.Kind]
		if !known || m.At-all[i][0].At > near {
			newest[m.Kind] = len(all)
			all = append(all, cluster{m})
			continue
		}
		all[i] = append(all[i], m)
	}
	return all
}

func (c cluster) says() string {
	var parts []string
	for i, m := range c {
		if i == mostListed {
			parts = append(parts, fmt.Sprintf("and %d more until %s s", len(c)-i, seconds(c[len(c)-1].At)))
			break
		}
		parts = append(parts, fmt.Sprintf("%s s %s", seconds(m.At), m.says()))
	}
	return strings.Join(parts, "; ")
}
