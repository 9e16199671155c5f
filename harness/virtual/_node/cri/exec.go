package cri

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/victim"
	"github.com/podclock/podclock/harness/victim/play"
)

// result is the end of an exec'd process.
type result struct {
	code           int
	stdout, stderr string
}

// exec runs a command in a container. The process is killed after the timeout, which counts from its first
// instruction, or when the call is cancelled; the error is then the context's. A cancelled call does not wait for
// the kill. If the main process dies, the exec'd one is killed; this is an exit code, not an error
// (container_execsync.go, execInContainer and execInternal).
func (r *Runtime) exec(ctx context.Context, id string, command []string, timeout time.Duration) (result, error) {
	c, err := r.container(id)
	if err != nil {
		return result{}, fmt.Errorf("failed to find container %q in store: %w", id, err)
	}
	main := c.running()
	if main == nil {
		return result{}, fmt.Errorf("container is in %s state", c.state())
	}
	if !play.Sleep(ctx, execStart) {
		return result{}, fmt.Errorf("failed to start exec: %w", ctx.Err())
	}
	if main.alive.Err() != nil {
		return result{}, errors.New("failed to start exec: cannot exec in a stopped container: unknown")
	}
	if len(command) == 0 || command[0] != victim.Program {
		err := noProgram(firstOf(command))
		return result{}, fmt.Errorf("failed to start exec: OCI runtime exec failed: exec failed: %w", err)
	}
	alive, kill := context.WithCancel(main.alive)
	exits := make(chan result, 1)
	go func() { exits <- main.runBeside(alive, command[1:]) }()
	waiting := ctx
	if timeout > 0 {
		var end context.CancelFunc
		waiting, end = context.WithTimeout(ctx, timeout)
		defer end()
	}
	select {
	case <-waiting.Done():
		time.AfterFunc(signalDelivery, kill)
		if ctx.Err() != nil {
			return result{}, ctx.Err()
		}
		<-exits
		time.Sleep(execNoticed)
		return result{}, fmt.Errorf("timeout %s exceeded: %w", timeout, waiting.Err())
	case exit := <-exits:
		kill()
		time.Sleep(execNoticed)
		return exit, nil
	}
}

func firstOf(command []string) string {
	if len(command) == 0 {
		return ""
	}
	return command[0]
}

// runBeside runs the fault program as an exec'd process.
func (p *process) runBeside(alive context.Context, args []string) result {
	if !play.Sleep(alive, programStart) {
		return result{code: killedCode}
	}
	exit, err := p.command(alive, args)
	if alive.Err() != nil || exit.code == play.Killed {
		return result{code: killedCode}
	}
	if err != nil {
		p.complain(err)
		exit.stderr = fmt.Sprintf("fault: %v\n", err)
	}
	return exit
}
