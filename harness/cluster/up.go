package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	kind "sigs.k8s.io/kind/pkg/cluster"
)

// Up boots the cluster that the options describe, or adopts the one of that
// name that an earlier run kept, and returns when every node is Ready.
//
// A cluster of that name without a record in the cache folder is someone
// else's: that is an error, and nothing is touched. One left by a killed run
// is removed first, one in use by a living process is an error that names it.
//
// When Up fails, or its context ends, it leaves no containers behind. The
// caller must [Cluster.Close] what it gets.
func Up(ctx context.Context, o Options) (*Cluster, error) {
	p, err := o.plan()
	if err != nil {
		return nil, err
	}
	b, provider, err := o.open()
	if err != nil {
		return nil, err
	}
	c := &Cluster{
		Name: o.Name, Kubeconfig: b.kubeconfigPath(), Image: o.NodeImage,
		options: o, books: b, provider: provider,
	}
	if err := c.up(ctx, p); err != nil {
		return nil, fmt.Errorf("cluster %q: %w", o.Name, errors.Join(err, b.close()))
	}
	return c, nil
}

// Down deletes the cluster of that name if podclock created it and no living
// process uses it. Of the options it needs Name, and CacheDir and Log if they
// are not the default.
func Down(ctx context.Context, o Options) error {
	if err := o.validateName(); err != nil {
		return err
	}
	b, provider, err := o.open()
	if err != nil {
		return err
	}
	c := &Cluster{Name: o.Name, options: o, books: b, provider: provider}
	if err := c.down(ctx); err != nil {
		return fmt.Errorf("cluster %q: %w", o.Name, errors.Join(err, b.close()))
	}
	return b.close()
}

// open takes the lock of the cluster's name.
func (o Options) open() (*books, *Provider, error) {
	dir, err := o.stateDir()
	if err != nil {
		return nil, nil, err
	}
	b, err := openBooks(dir, o.Name)
	if err != nil {
		return nil, nil, err
	}
	provider := NewProvider()
	provider.name = o.Name
	provider.WithOpts(WithEngine(o.Engine), WithKubeconfig(b.kubeconfigPath()), WithLog(o.Log))
	return b, provider, nil
}

func (c *Cluster) down(ctx context.Context) error {
	r, err := c.books.read()
	if err != nil {
		return err
	}
	if r != nil && c.options.Engine == "" {
		c.provider.WithOpts(WithEngine(r.Engine))
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
	if err := c.provider.Destroy(ctx); err != nil {
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
			return err // the kept cluster is not to blame
		}
		next, why = replace, fmt.Sprintf("kept by an earlier run, but unusable (%v)", err)
	}
	if next == replace {
		c.options.logf("removing the one that was %s", why)
		if err := c.provider.Destroy(ctx); err != nil {
			return err
		}
	}
	if err := checkDisk(ctx, c.provider.engine); err != nil {
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

// existing returns the marks of the nodes that exist under the cluster's name.
func (c *Cluster) existing(ctx context.Context) ([]string, error) {
	driver, err := c.provider.driver()
	if err != nil {
		return nil, err
	}
	all, err := driver.ListNodes(c.Name)
	if err != nil {
		return nil, explain(fmt.Errorf("listing its nodes: %w", err))
	}
	return marks(ctx, c.provider.engine, all)
}

// adopt makes a kept cluster this run's.
func (c *Cluster) adopt(ctx context.Context, p *plan, r *record) error {
	if _, err := c.provider.GenerateKubeconfig(); err != nil {
		return err
	}
	if err := c.connect(); err != nil {
		return err
	}
	if len(c.nodes) != len(p.config.Nodes) {
		return fmt.Errorf("%d of its %d nodes exist", len(c.nodes), len(p.config.Nodes))
	}
	if p.ownNetwork {
		// Routes do not survive a restart of the containers.
		if err := setUpNetwork(ctx, c.Client, c.nodes, adoptTimeout); err != nil {
			return err
		}
	}
	if err := waitReady(ctx, c.Client, c.nodes, adoptTimeout); err != nil {
		return err
	}
	if err := c.findWorkers(ctx); err != nil {
		return err
	}
	if err := c.restoreSpares(ctx); err != nil {
		return err
	}
	c.Adopted = true
	r.PID = os.Getpid()
	return c.books.write(r)
}

// create boots the cluster and deletes what there is of it when that fails.
func (c *Cluster) create(ctx context.Context, p *plan) error {
	r := &record{
		Name: c.Name, Engine: c.provider.engine, PID: os.Getpid(),
		Mark: newMark(), Topology: p.digest, Created: time.Now().UTC().Truncate(time.Second),
	}
	if err := c.books.write(r); err != nil {
		return err
	}
	mark(&p.config, r.Mark)
	raised, limits := raiseInotify(inotifyDir, len(p.config.Nodes))
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
	if ctx.Err() == nil {
		err = c.postMortem(ctx, err)
		if limits != nil {
			err = fmt.Errorf("%w; %w", err, limits)
		}
	}
	if delErr := c.provider.Destroy(ctx); delErr != nil {
		return errors.Join(err, delErr) // the record stays for the next run
	}
	return errors.Join(err, c.books.forget())
}

// postMortem adds to the error of a failed boot what the nodes know, and saves
// their logs, before they are deleted.
func (c *Cluster) postMortem(ctx context.Context, err error) error {
	driver, driverErr := c.provider.driver()
	if driverErr != nil {
		return err
	}
	all, listErr := driver.ListInternalNodes(c.Name)
	if listErr != nil || len(all) == 0 {
		return err
	}
	if broken := brokenKubelets(ctx, all); broken != nil {
		err = fmt.Errorf("%w: %w", err, broken)
	}
	if c.options.LogDir == "" {
		return err
	}
	if logErr := c.provider.ExportLogs(ctx, c.options.LogDir); logErr != nil {
		return fmt.Errorf("%w (%w)", err, logErr)
	}
	return fmt.Errorf("%w (the nodes' logs are in %s)", err, c.options.LogDir)
}

// boot ends with every node Ready.
func (c *Cluster) boot(ctx context.Context, p *plan) error {
	// The nodes of a failed creation are retained for the post-mortem.
	if _, err := c.provider.create(ctx, true, kind.CreateWithV1Alpha4Config(&p.config)); err != nil {
		return fmt.Errorf("creating it: %w", err)
	}
	if err := c.connect(); err != nil {
		return err
	}
	if p.ownNetwork {
		if err := setUpNetwork(ctx, c.Client, c.nodes, registerTimeout); err != nil {
			return err
		}
	}
	if err := waitReady(ctx, c.Client, c.nodes, readyTimeout); err != nil {
		return err
	}
	return c.findWorkers(ctx)
}
