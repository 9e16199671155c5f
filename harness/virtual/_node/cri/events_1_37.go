//go:build kubelet1_37

package cri

import (
	"context"
	"time"

	criapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// GetContainerEvents sends an event of each container and sandbox that stops (container_events.go), the only ones for
// which a kubelet relists a pod (feature gate EventedPLEG). It ends with the kubelet.
func (c *Connection) GetContainerEvents(
	ctx context.Context, events chan *criapi.ContainerEventResponse,
	connected func(criapi.RuntimeService_GetContainerEventsClient),
) error {
	stops := c.runtime.watchStops()
	connected(nil)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.alive.Done():
			return c.alive.Err()
		case s := <-stops:
			events <- &criapi.ContainerEventResponse{
				ContainerId: s.id, ContainerEventType: criapi.ContainerEventType_CONTAINER_STOPPED_EVENT,
				CreatedAt: time.Now().UnixNano(), PodSandboxStatus: s.sandbox.status(),
			}
		}
	}
}
