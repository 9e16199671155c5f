package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"

	kinderrors "sigs.k8s.io/kind/pkg/errors"
	kindexec "sigs.k8s.io/kind/pkg/exec"
)

// ExportLogs saves the logs of every node in a folder.
func (p *Provider) ExportLogs(ctx context.Context, dest string) error {
	driver, err := p.driver()
	if err != nil {
		return err
	}
	err = bounded(ctx, logsTimeout, "collecting them", func() error { return driver.CollectLogs(p.name, dest) })
	if err = errors.Join(slices.DeleteFunc(leaves(err), isCrictl)...); err != nil {
		return explain(fmt.Errorf("saving the logs of cluster %q in %s: %w", p.name, dest, err))
	}
	return nil
}

// isCrictl: kind also saves crictl's list of images, and a node image need not
// have crictl.
func isCrictl(err error) bool {
	var run *kindexec.RunError
	return errors.As(err, &run) && slices.Contains(run.Command, "crictl")
}

// leaves returns the errors that kind has put together into one.
func leaves(err error) []error {
	if err == nil {
		return nil
	}
	parts := kinderrors.Errors(err)
	if len(parts) == 0 {
		return []error{err}
	}
	var all []error
	for _, part := range parts {
		all = append(all, leaves(part)...)
	}
	return all
}
