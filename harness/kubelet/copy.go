package kubelet

import (
	"fmt"
	"strconv"
	"strings"
)

// copyMark stands between a subject and the number of its copy.
const copyMark = "#"

// secondCopy is the number of the first copy that has one.
const secondCopy = 2

// copied is the copy's number after a mark, nothing for the first one.
func (s Subject) copied(mark string) string {
	if s.Copy == 0 {
		return ""
	}
	return mark + strconv.Itoa(s.Copy)
}

// another is how the next copy of the subject is spelled.
func (s Subject) another() string {
	s.Copy = max(s.Copy+1, secondCopy)
	return s.String()
}

// Copies is a subject as often as it is asked for: itself, and copies of it, in the order of their numbers.
func (s Subject) Copies(n int) []Subject {
	all := []Subject{s}
	for number := secondCopy; number <= n; number++ {
		s.Copy = number
		all = append(all, s)
	}
	return all
}

// cutCopy takes the number of its copy off a subject.
func cutCopy(s string) (original string, number int, err error) {
	i := strings.LastIndex(s, copyMark)
	if i < 0 || strings.ContainsRune(s[i:], '/') {
		return s, 0, nil
	}
	number, err = strconv.Atoi(s[i+len(copyMark):])
	if err != nil || number < secondCopy || strconv.Itoa(number) != s[i+len(copyMark):] {
		return "", 0, fmt.Errorf(
			"%s is no number of a copy: they are counted from %d, the first one has none",
			s[i:],
			secondCopy,
		)
	}
	return s[:i], number, nil
}
