package cluster

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/podclock/podclock/harness/engine"
	"sigs.k8s.io/e2e-framework/klient/conf"
	kind "sigs.k8s.io/kind/pkg/cluster"
)

// create runs kind's Create, which knows no context. When the context ends the
// nodes are deleted under its feet, which makes it return, and then once more,
// for what it may have created in the meantime. retain leaves the nodes of a
// failed creation, never those of a cancelled one.
func (p *Provider) create(ctx context.Context, retain bool, opts ...kind.CreateOption) (string, error) {
	driver, err := p.driver()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, createTimeout, fmt.Errorf("kind took longer than %v", createTimeout))
	defer cancel()
	opts = append(opts,
		kind.CreateWithRetain(true), // this function deletes
		kind.CreateWithKubeconfigPath(p.kubeconfigFile()),
	)
	p.began = time.Now()
	var createErr error // kind's, once it has returned
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		createErr = driver.Create(p.name, opts...)
	}()

	select {
	case <-returned:
		if err = createErr; err == nil {
			if p.restConfig, err = conf.New(p.kubeconfig); err == nil {
				return p.kubeconfig, nil
			}
		}
		err = because(ctx, explain(err))
		if !retain || ctx.Err() != nil {
			err = errors.Join(err, p.Destroy(ctx))
		}
	case <-ctx.Done():
		err = errors.Join(context.Cause(ctx), p.abort(ctx, returned))
	}
	return "", err
}

// abort deletes the nodes of a creation that is under way until it gives up.
func (p *Provider) abort(ctx context.Context, returned <-chan struct{}) error {
	limit := time.NewTimer(abortTimeout)
	defer limit.Stop()
	for {
		// An error here is not the last word: the deletion after Create is.
		_ = p.delete(ctx)
		select {
		case <-returned:
			return p.Destroy(ctx)
		case <-limit.C:
			return fmt.Errorf(
				"kind did not stop creating within %v; look for containers of cluster %q and remove them",
				abortTimeout,
				p.name,
			)
		case <-time.After(time.Second):
		}
	}
}

// delete removes every node, whatever became of the context, and returns when
// the engine lists none any more.
func (p *Provider) delete(ctx context.Context) error {
	driver, err := p.driver()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(
		context.WithoutCancel(ctx),
		deleteTimeout,
		fmt.Errorf("the engine took longer than %v", deleteTimeout),
	)
	defer cancel()
	for {
		// A node that vanishes between listing and removing makes kind fail,
		// so only what is listed afterwards counts.
		err := bounded(ctx, deleteTimeout, "removing its nodes", func() error {
			return driver.Delete(p.name, p.kubeconfigFile())
		})
		left, listErr := driver.ListNodes(p.name)
		if listErr != nil {
			return explain(fmt.Errorf("deleting cluster %q: %w", p.name, listErr))
		}
		if len(left) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return explain(
				fmt.Errorf(
					"deleting cluster %q: nodes %v are still there: %w",
					p.name,
					left,
					errors.Join(context.Cause(ctx), err),
				),
			)
		case <-time.After(pollInterval):
		}
	}
}

// detectEngine finds the engine's client in kind's order of preference.
func detectEngine() (string, error) {
	for _, name := range []string{engine.Docker, engine.Nerdctl, engine.Podman} {
		if _, err := exec.LookPath(name); err == nil {
			return name, nil
		}
	}
	return "", fmt.Errorf("no container engine that kind can drive is installed: install one of %v", engines)
}
