package mutation

import (
	"fmt"

	"github.com/podclock/podclock/harness/kubelet/mutation/gosource"
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
