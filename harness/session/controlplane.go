package session

import (
	"context"
	"fmt"

	"github.com/podclock/podclock/harness/cluster/nodes"
	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/kubelet/builder"
)

// checkControlPlane: a mutation of the API server or a controller is one of the whole cluster, so whatever
// else ran there would be measured with it. Only copies of the same subject can stand beside it.
func (c Config) checkControlPlane() error {
	subjects := c.in(kubelet.LaneNode)
	for _, mutant := range subjects {
		if !mutant.MutatesControlPlane() {
			continue
		}
		for _, other := range subjects {
			if other.Mutation != mutant.Mutation {
				return fmt.Errorf(
					"SUBJECTS=%s: %s changes the %s of the whole cluster, which %s would share: give each a run of its own, or put one into a virtual node (virtual:)",
					c.Subjects,
					mutant,
					mutant.Component(),
					other,
				)
			}
		}
	}
	return nil
}

// buildComponent builds the part of the control plane that a subject's mutation is in; nil where there is
// no such subject.
func (s *Session) buildComponent(ctx context.Context) (*nodes.Component, error) {
	for _, subject := range s.config.in(kubelet.LaneNode) {
		if !subject.MutatesControlPlane() {
			continue
		}
		binary, err := builder.Build(ctx, subject, builder.Options{Log: s.log})
		if err != nil {
			return nil, err
		}
		return &nodes.Component{Name: string(subject.Component()), Path: binary.Path, Version: binary.Version}, nil
	}
	return nil, nil
}
