//go:build kubelet1_32

package machine

import (
	"context"

	"github.com/podclock/podclock/harness/virtual/_node/cadvisor"
)

func (c *measuring) ImagesFsInfo(context.Context) (cadvisor.FsInfo, error) {
	return c.machine.disk(), nil
}

func (c *measuring) ContainerFsInfo(context.Context) (cadvisor.FsInfo, error) {
	return c.machine.disk(), nil
}
