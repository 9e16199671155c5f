package cluster

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	kind "sigs.k8s.io/kind/pkg/cluster"
	kindnodes "sigs.k8s.io/kind/pkg/cluster/nodes"
	kinderrors "sigs.k8s.io/kind/pkg/errors"
	kindexec "sigs.k8s.io/kind/pkg/exec"
	"sigs.k8s.io/kind/pkg/log"

	"github.com/podclock/podclock/harness/host/engine"
	"github.com/podclock/podclock/harness/node/cluster/nodes"
)

// The limits end what hangs. None is a measurement, so they are generous.
const (
	// createTimeout is for a host ten times slower than usual: kind took 5 to 9 min there, without a pull.
	// Only one limit of kind is shorter: 30 s for the boot of a node's systemd.
	createTimeout = 20 * time.Minute
	// stillEvery is how often a creation says what it waits for.
	stillEvery = 30 * time.Second
	// abortTimeout is how long kind's Create may take to notice that its nodes are gone.
	abortTimeout  = 20 * time.Second
	deleteTimeout = 2 * time.Minute
	logsTimeout   = 2 * time.Minute
	deletePoll    = 200 * time.Millisecond
	askTimeout    = 3 * time.Minute // some images are large
)

// driver drives kind as a library for one cluster. Its calls end when their context does.
type driver struct {
	name       string
	engine     string // set by open if it is empty
	kubeconfig string
	logf       func(format string, args ...any)

	kind  *kind.Provider
	began time.Time    // the time of the last creation
	doing atomic.Value // string: kind's last step
}

// open returns kind's provider for the engine.
func (d *driver) open() (*kind.Provider, error) {
	if d.kind != nil {
		return d.kind, nil
	}
	if d.engine = cmp.Or(d.engine, os.Getenv("KIND_EXPERIMENTAL_PROVIDER")); d.engine == "" {
		var err error
		if d.engine, err = findEngine(); err != nil {
			return nil, err
		}
	}
	use := (&engine.Engine{Name: d.engine}).Provider()
	d.kind = kind.NewProvider(use, kind.ProviderWithLogger(kindLog{line: d.step, doing: &d.doing}))
	return d.kind, nil
}

func findEngine() (string, error) {
	for _, name := range []string{engine.Docker, engine.Nerdctl, engine.Podman} {
		if _, err := exec.LookPath(name); err == nil {
			return name, nil
		}
	}
	return "", fmt.Errorf("no container engine that kind can drive is installed: install one of %v", engines)
}

func (d *driver) step(format string, args ...any) {
	if d.began.IsZero() { // kind chooses its provider
		d.logf(format, args...)
		return
	}
	d.logf("%4.1f s: %s", time.Since(d.began).Seconds(), fmt.Sprintf(format, args...))
}

// create runs kind's Create, which takes no context. After the context's end, it deletes what exists. The
// nodes of a failed creation stay for their logs.
func (d *driver) create(ctx context.Context, opts ...kind.CreateOption) error {
	provider, err := d.open()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, createTimeout, fmt.Errorf("kind took longer than %v", createTimeout))
	defer cancel()
	opts = append(opts, kind.CreateWithRetain(true), kind.CreateWithKubeconfigPath(d.kubeconfig))
	d.began = time.Now()
	d.doing.Store("beginning")
	var createErr error // valid once returned is closed
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		createErr = provider.Create(d.name, opts...)
	}()
	still := time.NewTicker(stillEvery)
	defer still.Stop()
	for {
		select {
		case <-still.C:
			d.step("still %v; all steps together may take %v", d.doing.Load(), createTimeout)
			continue
		case <-returned:
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), d.abort(ctx, returned))
		}
		err := nodes.Because(ctx, nodes.Explain(createErr))
		if err != nil && ctx.Err() != nil {
			err = errors.Join(err, d.destroy(ctx))
		}
		return err
	}
}

func (d *driver) abort(ctx context.Context, returned <-chan struct{}) error {
	limit := time.NewTimer(abortTimeout)
	defer limit.Stop()
	for {
		_ = d.delete(ctx) // the deletion after Create reports what is left
		select {
		case <-returned:
			return d.destroy(ctx)
		case <-limit.C:
			const format = "kind did not stop creating within %v; look for containers of cluster %q and remove them"
			return fmt.Errorf(format, abortTimeout, d.name)
		case <-time.After(time.Second):
		}
	}
}

func (d *driver) destroy(ctx context.Context) error {
	if err := d.delete(ctx); err != nil {
		return err
	}
	if err := os.Remove(d.kubeconfig); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("removing the kubeconfig of cluster %q: %w", d.name, err)
	}
	return nil
}

// delete removes every node, even if the context has ended.
func (d *driver) delete(ctx context.Context) error {
	provider, err := d.open()
	if err != nil {
		return err
	}
	late := fmt.Errorf("the engine took longer than %v", deleteTimeout)
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), deleteTimeout, late)
	defer cancel()
	for {
		// kind fails if a node disappears between its listing and its removal. So only the next list counts.
		remove := func() error { return provider.Delete(d.name, d.kubeconfig) }
		err := bounded(ctx, deleteTimeout, "removing its nodes", remove)
		left, listErr := provider.ListNodes(d.name)
		if listErr != nil {
			return nodes.Explain(fmt.Errorf("deleting cluster %q: %w", d.name, listErr))
		}
		if len(left) == 0 {
			return nil
		}
		err = errors.Join(err, d.thaw(ctx, left))
		select {
		case <-ctx.Done():
			err = errors.Join(context.Cause(ctx), err)
			return nodes.Explain(fmt.Errorf("deleting cluster %q: nodes %v still exist: %w", d.name, left, err))
		case <-time.After(deletePoll):
		}
	}
}

// ask runs the container engine's client and returns what it printed.
func (d *driver) ask(ctx context.Context, args ...string) (string, error) {
	late := fmt.Errorf("%s took longer than %v", d.engine, askTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, askTimeout, late)
	defer cancel()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, d.engine, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", d.engine, args[0], err, nodes.LastLines(stderr.String(), 1))
	}
	return strings.TrimSpace(string(out)), nodes.Because(ctx, err)
}

// thaw ends what is frozen below nodes that could not be removed. runc freezes a container's group while it changes its
// devices. If the node is killed then, the group stays frozen, and the engine waits for processes that do not end. On
// cgroup v2, which has no such folder, a frozen process can be killed.
func (d *driver) thaw(ctx context.Context, left []kindnodes.Node) error {
	for _, n := range left {
		id, err := d.ask(ctx, "inspect", "--format", "{{.Id}}", n.String())
		if err != nil {
			continue // it is gone
		}
		thawed, err := thaw("/sys/fs/cgroup/freezer", id)
		if err != nil {
			return fmt.Errorf("thawing processes of node %s: %w", n, err)
		}
		if thawed > 0 {
			d.logf("node %s could not be removed: thawed its frozen control groups, %d of them", n, thawed)
		}
	}
	return nil
}

// thaw returns how many groups below a container's were frozen or about to be. folder has the groups of cgroup v1's
// freezer.
func thaw(folder, container string) (thawed int, err error) {
	err = filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Base(path) != "freezer.state" || !strings.Contains(path, container) {
			return nil // a group may be gone
		}
		if state, err := os.ReadFile(path); err != nil || string(state) == "THAWED\n" {
			return nil
		}
		thawed++
		return os.WriteFile(path, []byte("THAWED"), 0)
	})
	return thawed, err
}

func (d *driver) exportLogs(ctx context.Context, dest string) error {
	provider, err := d.open()
	if err != nil {
		return err
	}
	err = bounded(ctx, logsTimeout, "collecting them", func() error { return provider.CollectLogs(d.name, dest) })
	if err = errors.Join(slices.DeleteFunc(leaves(err), isCrictl)...); err != nil {
		return nodes.Explain(fmt.Errorf("saving the logs of cluster %q in %s: %w", d.name, dest, err))
	}
	return nil
}

// isCrictl reports whether an error is about crictl, which kind runs and a node image may not have.
func isCrictl(err error) bool {
	var failed *kindexec.RunError
	return errors.As(err, &failed) && slices.Contains(failed.Command, "crictl")
}

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

// bounded waits for a call that takes no context. The call may run on.
func bounded(ctx context.Context, limit time.Duration, what string, call func() error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%s took longer than %v", what, limit))
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- call() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// kindLog passes on kind's warnings, errors and steps, which begin with a bullet.
type kindLog struct {
	line  func(format string, args ...any)
	doing *atomic.Value // gets each step
}

func (l kindLog) Warn(message string)               { l.line("%s", message) }
func (l kindLog) Warnf(format string, args ...any)  { l.line(format, args...) }
func (l kindLog) Error(message string)              { l.line("%s", message) }
func (l kindLog) Errorf(format string, args ...any) { l.line(format, args...) }
func (l kindLog) Infof(format string, args ...any)  { l.Info(fmt.Sprintf(format, args...)) }
func (l kindLog) Enabled() bool                     { return true }

func (l kindLog) V(level log.Level) log.InfoLogger {
	if level > 0 {
		return log.NoopInfoLogger{}
	}
	return l
}

func (l kindLog) Info(message string) {
	step, isStep := strings.CutPrefix(strings.TrimSpace(message), "• ")
	if !isStep {
		return
	}
	ascii := strings.TrimSpace(strings.Map(func(r rune) rune {
		if r > 126 {
			return -1
		}
		return r
	}, strings.TrimRight(step, " .")))
	if ascii != "" {
		step := strings.ToLower(ascii[:1]) + ascii[1:]
		l.doing.Store(step)
		l.line("%s", step)
	}
}
