package cri

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/measure/victim/play"
)

type result struct {
	code           int
	stdout, stderr string
}

// exec runs a command, with a timeout from its first instruction. A timeout or a cancelled call kills it and
// returns the context's error; a cancelled call does not wait for the kill. The main process' death also kills it,
// which is an exit code (container_execsync.go, execInContainer and execInternal).
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

func (p *process) command(alive context.Context, args []string) (result, error) {
	usage := result{code: victim.ExitUsage}
	if len(args) == 0 {
		return usage, errors.New("no command: it must be hook or probe")
	}
	switch args[0] {
	case victim.HookCommand:
		hook, err := victim.ParseHook(args)
		if err != nil {
			return usage, err
		}
		return p.hook(alive, hook)
	case victim.ProbeCommand:
		probe, err := victim.ParseExecProbe(args)
		if err != nil {
			return usage, err
		}
		return p.ask(alive, probe)
	}
	return usage, fmt.Errorf("unknown command %q: it must be hook or probe", args[0])
}

// hook runs an exec hook. A postStart hook first awaits its main process.
func (p *process) hook(alive context.Context, hook victim.Hook) (result, error) {
	id, err := p.container.identity(mark.Hook)
	if err != nil {
		return result{code: victim.ExitUsage}, err
	}
	if hook.PostStart {
		if err := p.awaitStart(alive); err != nil {
			err = fmt.Errorf("waiting for the main process before a postStart hook: %w", err)
			return result{code: victim.ExitNoMain}, err
		}
	}
	recorder := p.runtime.options.Recorder.Connect(id)
	defer recorder.Close()
	return result{code: play.Hook(alive, hook, recorder)}, nil
}

func (p *process) ask(alive context.Context, probe victim.ExecProbe) (result, error) {
	id, err := p.container.identity(mark.Probe)
	if err != nil {
		return result{code: victim.ExitUsage}, err
	}
	recorder := p.runtime.options.Recorder.Connect(id)
	defer recorder.Close()
	if err := p.awaitStart(alive); err != nil {
		err = fmt.Errorf("asking the main process for the answer of a %s probe: %w", probe.For, err)
		return result{code: victim.ExitNoMain}, err
	}
	answer, _ := p.probes.Arrived(probe.For, play.ByExec, time.Now())
	defer p.probes.Done(probe.For)
	if !p.probes.Wait(alive, answer) {
		return result{code: play.Killed}, nil
	}
	code, output := play.ExecResult(probe.For, answer)
	return result{code: code, stdout: output}, nil
}

func (p *process) awaitStart(alive context.Context) error {
	limit := time.NewTimer(victim.AskFor)
	defer limit.Stop()
	select {
	case <-p.started:
		return nil
	case <-alive.Done():
		return alive.Err()
	case <-limit.C:
		return fmt.Errorf("no answer for %s", victim.AskFor)
	}
}
