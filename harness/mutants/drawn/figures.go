package drawn

// Figures count mutants by their results.
type Figures struct {
	Drawn      int `json:"drawn"`
	Compiled   int `json:"compiled"`
	Equivalent int `json:"equivalent"`
	// Different are those with another trace, Killed those of them with a claim that deviates, and Ended, which have a
	// kubelet that ends, hangs or does not start.
	Different int `json:"different"`
	Killed    int `json:"killed"`
	Ended     int `json:"ended"`
	// Diagnosed are killed mutants that a known mistake fits, Unexplained those with claims that none fits. For Named
	// of these a run names functions, for Located the mutated one as well. All are of [Options.Locate].
	Diagnosed   int `json:"diagnosed,omitempty"`
	Unexplained int `json:"unexplained,omitempty"`
	Named       int `json:"named,omitempty"`
	Located     int `json:"located,omitempty"`
}

// Count counts mutants. Those that were not judged count as drawn only.
func Count(all []Mutant) (n Figures) {
	n.Drawn = len(all)
	count := func(n *int, is bool) {
		if is {
			*n++
		}
	}
	for _, m := range all {
		count(&n.Diagnosed, m.AsIf != nil)
		count(&n.Unexplained, m.Unexplained)
		count(&n.Named, m.Unexplained && m.LookAt != nil)
		count(&n.Located, m.Unexplained && m.Located > 0)
		switch m.Status {
		case Invalid, "":
			continue
		case Equivalent:
			n.Equivalent++
		case Different:
			n.Different++
		case Killed:
			n.Different++
			n.Killed++
			if m.Ended {
				n.Ended++
			}
		}
		n.Compiled++
	}
	return n
}

// Valid is the number of mutants that something should distinguish from the unchanged code.
func (n Figures) Valid() int { return n.Compiled - n.Equivalent }
