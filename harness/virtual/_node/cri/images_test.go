package cri_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	criapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
)

func TestImages(t *testing.T) {
	inBubble(t, func(r *rig) {
		spec := func(name string) *criapi.ImageSpec { return &criapi.ImageSpec{Image: name} }
		id := func(name string) string {
			response, err := r.ImageStatus(context.Background(), spec(name), false)
			r.Expect(err).NotTo(HaveOccurred())
			return response.GetImage().GetId()
		}
		r.Expect(id(usual)).To(HavePrefix("sha256:"))
		r.Expect(id(usual)).NotTo(Equal(id(other)))
		r.Expect(id(id(usual))).To(Equal(id(usual)))
		r.Expect(id("registry.test/none:1")).To(BeEmpty())
		r.Expect(r.ListImages(context.Background(), nil)).To(HaveLen(3))
		r.Expect(r.PullImage(context.Background(), spec(usual), nil, nil)).To(Equal(id(usual)))

		ofID := func(c *criapi.ContainerConfig) { c.Image = spec(id(stopSignal)) }
		running := r.status(r.victim(victim.Run{}, ofID))
		r.Expect(running.Image.Image).To(Equal(stopSignal))
		r.Expect(running.ImageRef).To(Equal(id(stopSignal)))
	})
}

func TestPullsThatCannotBe(t *testing.T) {
	inBubble(t, func(r *rig) {
		for range 2 {
			_, err := r.PullImage(context.Background(),
				&criapi.ImageSpec{Image: mark.UnpullableImage("default", "pod-1", "victim") + ":latest"}, nil, nil)
			r.Expect(status.Code(err)).To(Equal(codes.NotFound))
		}
		began := time.Now()
		slow := mark.UnpullableImage("default", "pod-1", "slow") + ":" + mark.SlowTag
		_, err := r.PullImage(context.Background(), &criapi.ImageSpec{Image: slow}, nil, nil)
		r.Expect(status.Code(err)).To(Equal(codes.NotFound))
		r.Expect(time.Since(began)).To(BeNumerically("~", victim.SlowPull, time.Second))
		_, err = r.PullImage(context.Background(), &criapi.ImageSpec{Image: "registry.test/none:1"}, nil, nil)
		r.Expect(status.Code(err)).To(Equal(codes.NotFound))
		r.Expect(r.records()).To(HaveLen(3))
		r.Expect(r.records()[1].Kind).To(Equal(mark.Pulled))
		r.Expect(r.records()[1].Identity).To(Equal(mark.Identity{Pod: "default/pod-1", Container: "victim"}))

		sandbox := r.sandbox()
		none := r.spec(victim.Run{}, func(c *criapi.ContainerConfig) { c.Image.Image = "registry.test/none:1" })
		_, err = r.CreateContainer(context.Background(), sandbox, none, nil)
		r.Expect(status.Code(err)).To(Equal(codes.NotFound))
	})
}
