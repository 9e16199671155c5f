package cri_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	criapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/podclock/podclock/harness/measure/victim"
)

func TestListsAreFilteredAndTakeNoTime(t *testing.T) {
	inBubble(t, func(r *rig) {
		label := func(value string) func(*criapi.ContainerConfig) {
			return func(c *criapi.ContainerConfig) { c.Labels = map[string]string{"which": value} }
		}
		a := r.victim(victim.Run{}, label("a"))
		b := r.victim(victim.Run{}, label("b"))
		r.Expect(r.StopContainer(context.Background(), b, 0)).To(Succeed())
		asked := time.Now()
		running := &criapi.ContainerStateValue{State: criapi.ContainerState_CONTAINER_RUNNING}
		for _, c := range []struct {
			filter *criapi.ContainerFilter
			ids    []string
		}{
			{nil, []string{a, b}},
			{&criapi.ContainerFilter{Id: a}, []string{a}},
			{&criapi.ContainerFilter{LabelSelector: map[string]string{"which": "b"}}, []string{b}},
			{&criapi.ContainerFilter{LabelSelector: map[string]string{"other": ""}}, nil},
			{&criapi.ContainerFilter{State: running}, []string{a}},
			{&criapi.ContainerFilter{PodSandboxId: r.runtime.Containers()[1].SandboxID}, []string{b}},
		} {
			listed, err := r.ListContainers(context.Background(), c.filter)
			r.Expect(err).NotTo(HaveOccurred())
			var ids []string
			for _, l := range listed {
				ids = append(ids, l.Id)
			}
			r.Expect(ids).To(Equal(c.ids), "%v", c.filter)
		}
		r.status(a)
		r.Expect(r.ListPodSandbox(context.Background(), nil)).To(HaveLen(2))
		r.Expect(time.Since(asked)).To(BeZero())
	})
}
