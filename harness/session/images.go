package session

import (
	"context"
	"fmt"

	"github.com/podclock/podclock/harness/host/option"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/node/lab"
	"github.com/podclock/podclock/images"
)

// imagesOfNodes returns the images that the nodes of an external cluster pull or have.
func (s *Session) imagesOfNodes(ctx context.Context) (lab.Images, error) {
	place := s.config.Images
	if place == "" {
		return s.imagesOnNodes(ctx)
	}
	if refs, err := images.ParseRefs(place); refs != nil || err != nil {
		return imagesOf(func(name string) string { return refs[name] }), err
	}
	_, _ = fmt.Fprintln(s.log, "making the victims' images, to know their digests")
	set, err := images.BuildSet(ctx, false)
	if err != nil {
		return lab.Images{}, err
	}
	return imagesOf(func(name string) string { return set.Ref(place, name) }), nil
}

func imagesOf(ref func(name string) string) lab.Images {
	return lab.Images{
		Images: runner.Images{
			Fault: ref(images.Fault), FaultOther: ref(victim.OtherImage), FaultStopSignal: ref(victim.StopSignalImage),
		},
		Recorder: ref(images.Recorder),
	}
}

// imagesOnNodes returns the images that are on nodes without a registry. They are of one architecture.
func (s *Session) imagesOnNodes(ctx context.Context) (lab.Images, error) {
	architecture := ""
	for _, n := range s.config.External.Nodes {
		if architecture != "" && n.System.Architecture != architecture {
			return lab.Images{}, option.Invalid("images", "", "nodes of %s and %s need a registry: give it a place "+
				"that `podclock images push` wrote to, or choose --nodes of one architecture", architecture,
				n.System.Architecture)
		}
		architecture = n.System.Architecture
	}
	_, refs, err := s.buildImages(ctx, architecture)
	return refs, err
}

// buildImages builds the images for nodes of an architecture. It returns their archives and their references.
func (s *Session) buildImages(
	ctx context.Context, architecture string,
) (archives []string, refs lab.Images, err error) {
	fault, err := images.Build(ctx, images.Fault, architecture, s.log)
	if err != nil {
		return nil, lab.Images{}, err
	}
	recorder, err := images.Build(ctx, images.Recorder, architecture, s.log)
	return []string{fault.Archive, recorder.Archive}, lab.Images{
		Images:   runner.Images{Fault: fault.Ref, FaultOther: fault.Other, FaultStopSignal: fault.StopSignal},
		Recorder: recorder.Ref,
	}, err
}
