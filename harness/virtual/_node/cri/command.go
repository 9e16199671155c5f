package cri

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/victim"
	"github.com/podclock/podclock/harness/victim/play"
)

// command runs the fault program as a hook or a probe.
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

// hook is one run of an exec hook. A postStart hook belongs to the life that begins with the main process, and waits
// for its start.
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

// ask is an exec probe. Its exit code is the main process' answer.
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

// awaitStart waits for the main process' mark of its start.
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
