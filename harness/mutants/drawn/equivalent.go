package drawn

import "github.com/podclock/podclock/harness/kubelets/operator"

// equivalence is why some mutants do what the unchanged code does. An empty field stands for any.
type equivalence struct {
	file, within string
	operator     operator.Operator
	now          string
	because      string
}

// equivalences were read in the source, mutant by mutant.
var equivalences []equivalence

// equivalent returns why a mutant is equivalent, or "".
func equivalent(m Mutant) string {
	for _, e := range equivalences {
		if e.file == m.File && (e.within == "" || e.within == m.Within) &&
			(e.operator == "" || e.operator == m.Operator) && (e.now == "" || e.now == m.Now) {
			return e.because
		}
	}
	return ""
}
