package mutation

import (
	"fmt"
	"slices"

	"github.com/podclock/podclock/harness/kubelets/gosource"
)

// Apply returns the mutated source of the mutation's file, or an error if the code does not occur in its declaration
// exactly once, or if the result is no Go.
func (m Mutation) Apply(source []byte) ([]byte, error) {
	mutated, err := gosource.Replace(source, m.Within, m.Now, m.Mutant)
	if err != nil {
		return nil, fmt.Errorf("mutation %s of %s in %s: %w", m.Name, m.Within, m.File, err)
	}
	return mutated, nil
}

// Variable is the environment variable that names the mutation of a program with all of them.
const Variable = "PODCLOCK_MUTATION"

// Together returns the mutations of a version that one program can have: those of functions. [Variable] selects one.
// The program is a component, or a virtual node, which contains all components.
func Together(version string, virtual bool, component Component) []Mutation {
	return slices.DeleteFunc(All(), func(m Mutation) bool {
		elsewhere := !virtual && m.Component != component || virtual && m.NodeOnly()
		return m.value || elsewhere || !m.Versions.Contains(version)
	})
}

// Choose returns the source of a file in which [Variable] selects one of its mutations.
func Choose(file string, source []byte, all []Mutation) ([]byte, error) {
	var choices []gosource.Choice
	for _, m := range all {
		if m.File == file {
			choices = append(choices, gosource.Replacing(m.Name, m.Within, m.Now, m.Mutant))
		}
	}
	chosen, err := gosource.Choose(file, source, Variable, choices)
	if err != nil {
		return nil, fmt.Errorf("mutations of %s: %w", file, err)
	}
	return chosen, nil
}
