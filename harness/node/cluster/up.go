package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	kind "sigs.k8s.io/kind/pkg/cluster"

	"github.com/podclock/podclock/harness/node/cluster/nodes"
)

const (
	// registerTimeout is how long nodes may take to have a pod CIDR, readyTimeout to be Ready with a pod network.
	// Both are for hosts ten times slower than usual.
	registerTimeout = 5 * time.Minute
	readyTimeout    = 10 * time.Minute
	// adoptTimeout is how long the nodes of a kept cluster may take to be Ready.
	adoptTimeout = 20 * time.Second
)

func (c *Cluster) down(ctx context.Context) error {
	r, err := c.books.read()
	if err != nil {
		return err
	}
	if r != nil && c.options.Engine == "" {
		c.driver.engine = r.Engine
	}
	found, err := c.existing(ctx)
	if err != nil {
		return err
	}
	next, _, err := decide(r, found, "")
	if err != nil {
		return err
	}
	if next == create {
		c.options.logf("nothing to delete")
		return c.books.forget()
	}
	if err := c.driver.destroy(ctx); err != nil {
		return err
	}
	c.options.logf("deleted")
	return c.books.forget()
}

func (c *Cluster) up(ctx context.Context, p *plan) error {
	started := time.Now()
	r, err := c.books.read()
	if err != nil {
		return err
	}
	found, err := c.existing(ctx)
	if err != nil {
		return err
	}
	next, why, err := decide(r, found, p.digest)
	if err != nil {
		return err
	}
	if next == adopt {
		err := c.adopt(ctx, p, r)
		if err == nil {
			c.Boot = time.Since(started)
			c.options.logf("adopted, kept by an earlier run; every node is Ready (%.1f s)", c.Boot.Seconds())
			return nil
		}
		if ctx.Err() != nil {
			return err // the kept cluster may be fine
		}
		next, why = replace, fmt.Sprintf("kept by an earlier run, but unusable (%v)", err)
	}
	if next == replace {
		c.options.logf("removing the one that was %s", why)
		if err := c.driver.destroy(ctx); err != nil {
			return err
		}
	}
	if err := checkDisk(ctx, c.driver.engine); err != nil {
		return err
	}
	started = time.Now()
	if err := c.create(ctx, p); err != nil {
		return err
	}
	c.Boot = time.Since(started)
	c.options.logf("every node is Ready (%.1f s)", c.Boot.Seconds())
	return nil
}

func (c *Cluster) existing(ctx context.Context) ([]string, error) {
	provider, err := c.driver.open()
	if err != nil {
		return nil, err
	}
	all, err := provider.ListNodes(c.options.Name)
	if err != nil {
		return nil, nodes.Explain(fmt.Errorf("listing its nodes: %w", err))
	}
	return c.driver.marks(ctx, all)
}

func (c *Cluster) adopt(ctx context.Context, p *plan, r *record) error {
	provider, err := c.driver.open()
	if err != nil {
		return err
	}
	if err := provider.ExportKubeConfig(c.options.Name, c.driver.kubeconfig, false); err != nil {
		return nodes.Explain(fmt.Errorf("writing its kubeconfig: %w", err))
	}
	if err := c.connect(); err != nil {
		return err
	}
	if have, want := len(c.All), len(p.config.Nodes); have != want {
		return fmt.Errorf("%d of its %d nodes exist", have, want)
	}
	// The pod network is set up again, because routes do not survive a restart of the containers.
	if err := c.awaitNodes(ctx, p, adoptTimeout, adoptTimeout); err != nil {
		return err
	}
	if err := c.RestoreAll(ctx, c.WorkerNames()); err != nil {
		return err
	}
	c.Adopted = true
	r.PID = os.Getpid()
	return c.books.write(r)
}

func (c *Cluster) awaitNodes(ctx context.Context, p *plan, registered, ready time.Duration) error {
	if c.ownNetwork = p.ownNetwork; c.ownNetwork {
		if err := c.SetUpNetwork(ctx, registered); err != nil {
			return err
		}
	}
	if err := c.AwaitReady(ctx, ready); err != nil {
		return err
	}
	return c.findWorkers(ctx)
}

func (c *Cluster) create(ctx context.Context, p *plan) error {
	r := &record{
		Name: c.options.Name, Engine: c.driver.engine, PID: os.Getpid(),
		Mark: newMark(), Topology: p.digest, Created: time.Now().UTC().Truncate(time.Second),
	}
	if err := c.books.write(r); err != nil {
		return err
	}
	mark(&p.config, r.Mark)
	raised, limits := raiseInotify(inotifyDir, len(p.config.Nodes))
	c.limits = limits
	for _, what := range raised {
		c.options.logf("%s", what)
	}
	c.options.logf("creating %d nodes", len(p.config.Nodes))
	err := c.boot(ctx, p)
	if err == nil {
		r.Kept = c.options.Keep
		err = c.books.write(r)
	}
	if err == nil {
		return nil
	}
	return c.discard(ctx, err)
}

// discard deletes a new cluster that is not as it should be, and adds to err what is known.
func (c *Cluster) discard(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		err = c.diagnose(ctx, err)
		if c.limits != nil {
			err = fmt.Errorf("%w; %w", err, c.limits)
		}
	}
	if delErr := c.driver.destroy(ctx); delErr != nil {
		return errors.Join(err, delErr) // the record stays for the next run
	}
	return errors.Join(err, c.books.forget())
}

func (c *Cluster) boot(ctx context.Context, p *plan) error {
	if err := c.driver.create(ctx, kind.CreateWithV1Alpha4Config(&p.config)); err != nil {
		return fmt.Errorf("creating it: %w", err)
	}
	if err := c.connect(); err != nil {
		return err
	}
	return c.awaitNodes(ctx, p, registerTimeout, readyTimeout)
}

func (c *Cluster) diagnose(ctx context.Context, err error) error {
	provider, openErr := c.driver.open()
	if openErr != nil {
		return err
	}
	all, listErr := provider.ListInternalNodes(c.options.Name)
	if listErr != nil || len(all) == 0 {
		return err
	}
	if broken := nodes.BrokenKubelets(ctx, all); broken != nil {
		err = fmt.Errorf("%w: %w", err, broken)
	}
	if c.options.LogDir == "" {
		return err
	}
	if logErr := c.driver.exportLogs(ctx, c.options.LogDir); logErr != nil {
		return fmt.Errorf("%w (%w)", err, logErr)
	}
	return fmt.Errorf("%w (the nodes' logs are in %s)", err, c.options.LogDir)
}
