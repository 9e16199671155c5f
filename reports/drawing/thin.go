package drawing

import (
	"fmt"
	"strings"
	"time"
)

// cluster is marks of one kind that are too near to each other to be told apart: one mark in a picture.
type cluster []Mark

const (
	// nearest is the part of a picture's width within which marks of one kind are one: three pixels of a wide screen.
	nearest = 0.0025
	// mostMarks is how many marks one lane holds: more are brought together, further and further apart, until they fit.
	mostMarks = 150
	// mostTold is how many marks of a cluster are told one by one.
	mostTold = 4
)

// thin brings marks together, which come in the order of time, and says how far apart the marks of a
// cluster are at most.
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

// says tells the marks of a cluster, with their times.
func (c cluster) says() string {
	var parts []string
	for i, m := range c {
		if i == mostTold {
			parts = append(parts, fmt.Sprintf("and %d more until %s s", len(c)-i, seconds(c[len(c)-1].At)))
			break
		}
		parts = append(parts, fmt.Sprintf("%s s %s", seconds(m.At), m.says()))
	}
	return strings.Join(parts, "; ")
}
