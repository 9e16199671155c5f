package builder

import (
	"context"
	"slices"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/mutation"
)

// BuildTogether returns the program of a mutated subject like [Build], from a program that contains all mutations of
// functions and chooses one by [Binary.Env]. So a mutation test builds one program of each component instead of
// hundreds. A mutated constant has a program of its own.
func BuildTogether(ctx context.Context, s kubelets.Subject, o Options) (Binary, error) {
	all := mutation.Together(s.Version, s.Virtual, s.Component())
	if !slices.ContainsFunc(all, func(m mutation.Mutation) bool { return m.Name == s.Mutation }) {
		return Build(ctx, s, o)
	}
	binary, err := bounded(ctx, kubelets.Subject{Virtual: s.Virtual, Version: s.Version}, o, all)
	binary.Version, binary.Env = s.Stamp(), []string{mutation.Variable + "=" + s.Mutation}
	return binary, err
}
