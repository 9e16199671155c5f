package virtual

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/virtual/wire"
)

const (
	replyTimeout = 30 * time.Second
	dying        = 5 * time.Second
)

// Program is a subject's virtual node program. Name is the subject's, Binary is a path, Env is what the binary needs.
type Program struct {
	Name, Binary string
	Env          []string
	// Gates are feature gates that its kubelets have in every trial, whatever the trial sets.
	Gates map[string]bool
}

// node is a process that answers one request after another. It is a new virtual node after each start.
type node struct {
	subject string
	gates   map[string]bool
	// trials is how many it has played.
	trials       int
	command      *exec.Cmd
	ctx          context.Context
	stop         context.CancelCauseFunc // kills the process
	in           io.WriteCloser
	out          *bufio.Reader
	log          *tail
	folder       string
	replyTimeout time.Duration
	// clock only runs during a request.
	clock int64
}

// failure is the end of a node that should not have ended.
type failure struct{ why string }

func (f failure) Error() string { return "the virtual node " + f.why }

// mostTrials bounds the trials that one process plays. A process starts in 35 ms of CPU time, and keeps what its ended
// nodes hold: some 20 MB each.
const mostTrials = 12

// place is where one trial is played at a time. It keeps the process of the last one for the next.
type place struct {
	ctx  context.Context // bounds the process
	kept *node
}

// node returns a process of the subject, which a start makes a new node.
func (p *place) node(ctx context.Context, s Program, replyTimeout time.Duration) (n *node, err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if !p.keeps(s.Name) {
		p.leave()
		if p.kept, err = launch(p.ctx, s, replyTimeout); err != nil {
			return nil, err
		}
	}
	p.kept.trials++
	p.kept.clock = 0
	return p.kept, nil
}

// keeps reports whether the place has a process that can play another trial of the subject.
func (p *place) keeps(subject string) bool {
	n := p.kept
	return n != nil && n.subject == subject && n.trials < mostTrials && n.ctx.Err() == nil
}

// leave ends the place's process.
func (p *place) leave() {
	if p.kept != nil {
		_ = p.kept.end()
		p.kept = nil
	}
}

// bound kills the process at the end of ctx, until the returned function is called.
func (n *node) bound(ctx context.Context) (free func() bool) {
	return context.AfterFunc(ctx, func() { n.stop(context.Cause(ctx)) })
}

// launch starts a node's process. It ends with ctx at the latest.
func launch(ctx context.Context, s Program, replyTimeout time.Duration) (*node, error) {
	folder, err := makeFolder()
	if err != nil {
		return nil, failure{"has no folder for its files: " + err.Error()}
	}
	n := &node{subject: s.Name, gates: s.Gates, log: &tail{}, folder: folder, replyTimeout: replyTimeout}
	n.ctx, n.stop = context.WithCancelCause(ctx)
	n.command = exec.CommandContext(n.ctx, s.Binary)
	// what a killed process leaves is removed with the folder
	n.command.Dir, n.command.Env = folder, slices.Concat(os.Environ(), s.Env, []string{"TMPDIR=" + folder})
	n.command.Stderr, n.command.WaitDelay = n.log, time.Second
	var out io.Reader
	if n.in, err = n.command.StdinPipe(); err == nil {
		if out, err = n.command.StdoutPipe(); err == nil {
			n.out = bufio.NewReader(out)
			err = n.command.Start()
		}
	}
	if err != nil {
		n.stop(nil)
		_ = os.RemoveAll(folder)
		if cause := context.Cause(ctx); cause != nil {
			return nil, failure{"was ended: " + cause.Error()}
		}
		return nil, failure{fmt.Sprintf("could not be started: %v; build it with builder.Build", err)}
	}
	return n, nil
}

// ask makes one request. An error means that the node has ended.
func (n *node) ask(r wire.Request) (wire.Answer, error) {
	overdue := time.AfterFunc(n.replyTimeout, func() { n.stop(fmt.Errorf("did not answer within %v", n.replyTimeout)) })
	defer overdue.Stop()
	a, err := n.exchange(r)
	switch {
	case err != nil:
	case a.Frozen != "": // it has no clock any more
		err = errors.New("froze: " + inOneLine(a.Frozen))
	case a.From < n.clock || a.To < a.From:
		err = fmt.Errorf("has a clock that goes back: from %d to %d after %d", a.From, a.To, n.clock)
	}
	if err != nil {
		return wire.Answer{}, n.fail(err)
	}
	n.clock = a.To
	return a, nil
}

const longestQuote = 120

func (n *node) exchange(r wire.Request) (a wire.Answer, err error) {
	line, err := json.Marshal(r)
	if err != nil {
		return a, fmt.Errorf("can't be asked: %w", err)
	}
	if _, err := n.in.Write(append(line, '\n')); err != nil {
		return a, errDied
	}
	line, err = n.out.ReadBytes('\n')
	if err != nil {
		return a, errDied
	}
	if err := json.Unmarshal(line, &a); err != nil {
		return a, fmt.Errorf("answered what is no answer (%w): %.*q", err, longestQuote, line)
	}
	return a, nil
}

// errDied is replaced by the state of the process.
var errDied = errors.New("died")

// fail ends a node that can't go on, and returns the reason.
func (n *node) fail(err error) error {
	cause := context.Cause(n.ctx) // before the node is ended on purpose
	state := n.end()
	switch {
	case cause != nil:
		err = fmt.Errorf("was ended: %w", cause)
	case errors.Is(err, errDied) && state != nil:
		err = fmt.Errorf("died: %w", state)
	}
	if text := n.log.last(); text != "" {
		err = fmt.Errorf("%w; it wrote: %s", err, text)
	}
	return failure{err.Error()}
}

// end ends the process and returns its state. A second call does nothing.
func (n *node) end() error {
	if n.command.ProcessState != nil {
		return nil
	}
	_ = n.in.Close() // which ends it by itself
	late := time.AfterFunc(dying, func() { n.stop(nil) })
	defer late.Stop()
	err := n.command.Wait()
	n.stop(nil)
	_ = os.RemoveAll(n.folder)
	return err
}
