package cri

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	criapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/measure/victim/play"
)

// killedCode is a shim's exit code after SIGKILL: 128 and the signal's number.
const killedCode = 137

// unknownCode is the exit code of a container whose end no runtime has seen (restart.go, loadContainer).
const unknownCode = 255

func newProcess(r *Runtime, c *container) *process {
	p := &process{
		runtime:   r,
		container: c,
		startedAt: time.Now(),
		signals:   make(chan signal, 16),
		started:   make(chan struct{}),
	}
	p.killed, p.kill = context.WithCancel(context.Background())
	p.alive, p.die = context.WithCancel(context.Background())
	return p
}

func (p *process) live() {
	code, err := p.execute()
	at, reason := time.Now(), ""
	switch {
	case code == play.Killed:
		switch code = killedCode; {
		case p.outOfMemory.Load():
			reason = oomKilled
		case p.rebooted.Load():
			code, reason = unknownCode, "Unknown"
		}
	case err != nil:
		p.complain(err)
	}
	p.runtime.network.closeAll(p)
	if p.recorder != nil {
		p.recorder.Close()
	}
	p.die()
	p.kill()
	time.Sleep(exitNoticed)
	p.container.exited(at, int32(code), reason)
	p.runtime.stopped(stop{p.container.id, p.container.sandbox})
}

func (p *process) complain(err error) {
	pod := p.container.sandbox.config.GetMetadata()
	_, _ = fmt.Fprintf(p.runtime.options.Stderr, "fault: %s/%s, container %s: %v\n",
		pod.GetNamespace(), pod.GetName(), p.container.config.GetMetadata().GetName(), err)
}

func (p *process) execute() (int, error) {
	if !play.Sleep(p.killed, programStart) {
		return play.Killed, nil
	}
	run, err := victim.ParseRun(p.container.commandLine()[1:])
	if err != nil {
		return victim.ExitUsage, err
	}
	id, err := p.container.identity(mark.Run)
	if err != nil {
		return victim.ExitUsage, err
	}
	p.run = run
	ports, err := p.listen()
	if err != nil {
		return victim.ExitNotServing, err
	}
	p.recorder = p.runtime.options.Recorder.Connect(id)
	p.probes = play.NewProbes(run, p.recorder)
	if err := ports.openTCP(); err != nil {
		return victim.ExitNotServing, err
	}
	if err := p.say(); err != nil {
		return victim.ExitUsage, err
	}
	p.recorder.Mark(mark.Started, time.Now(), mark.Detail{})
	close(p.started)
	failed := make(chan play.Trouble, 8)
	ports.serve(failed)
	life := play.Life{
		Run: run, Recorder: p.recorder, Probes: p.probes, Terms: p.terms(), Failed: failed,
		Fill: p.fill, EndSandbox: p.endSandbox, ExhaustMemory: p.exhaustMemory,
	}
	return life.Live(p.killed)
}

// say writes the log, in the form of the CRI (logger.go, redirectLogs), and the termination message.
func (p *process) say() error {
	if p.run.Log != "" {
		line := fmt.Sprintf("%s stdout F %s\n", time.Now().UTC().Format(time.RFC3339Nano), p.run.Log)
		if err := appendTo(p.container.logPath(), line); err != nil {
			return err
		}
	}
	if p.run.Message == "" {
		return nil
	}
	return appendTo(p.container.view().Mounts[victim.MessageFile], p.run.Message)
}

func appendTo(path, text string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o640)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

func (p *process) fill() error {
	if p.runtime.options.Fill == nil {
		return errors.New("nothing can be filled: the runtime has no Fill")
	}
	if !play.Sleep(p.alive, filling) {
		return nil
	}
	return p.runtime.options.Fill(p.container.view(), p.run)
}

// exhaustMemory fills the memory to its limit, at which the kernel kills the process (events.go,
// handleContainerExit: OOMKilled).
func (p *process) exhaustMemory() error {
	if !play.Sleep(p.alive, exhaustion) {
		return nil
	}
	limit := p.container.config.GetLinux().GetResources().GetMemoryLimitInBytes()
	if limit <= 0 || limit >= victim.MostMemory {
		return fmt.Errorf("allocated %d MiB and was not killed for it: the container needs a memory limit below that",
			victim.MostMemory>>20)
	}
	p.outOfMemory.Store(true)
	p.kill()
	<-p.alive.Done()
	return nil
}

// endSandbox ends the pause process with SIGTERM. As PID 1 of the pod's processes, it takes them with it
// (pid_namespaces(7); events.go, handleSandboxExit).
func (p *process) endSandbox() error {
	s := p.container.sandbox
	if s.config.GetLinux().GetSecurityContext().GetNamespaceOptions().GetPid() != criapi.NamespaceMode_POD {
		return errors.New("this process is PID 1: its pod's containers must share their processes")
	}
	time.Sleep(signalDelivery)
	p.runtime.endSandbox(s)
	for _, c := range p.runtime.containersOf(s.id) {
		if main := c.running(); main != nil {
			main.kill()
		}
	}
	<-p.alive.Done()
	return nil
}

// send sends a signal, which arrives even if the sender stops waiting. Signals without a handler do not reach PID 1
// (pid_namespaces(7)), or a Go program ignores them.
func (p *process) send(name string) {
	time.AfterFunc(signalDelivery, func() {
		if !slices.Contains(victim.StopSignals(), name) {
			return
		}
		select {
		case p.signals <- signal{name: name, at: time.Now()}:
		default: // the buffer is full; os/signal also drops the signal
		}
	})
}

func (p *process) sendKill() { time.AfterFunc(signalDelivery, p.kill) }

// terms marks every stop signal with the time of its arrival, even before Started, and passes it on after the fault
// program's hold.
func (p *process) terms() <-chan struct{} {
	terms := make(chan struct{}, cap(p.signals))
	go func() {
		for {
			select {
			case s := <-p.signals:
				if hold := p.run.StopSignalHold(); hold > 0 && !play.Sleep(p.alive, hold) {
					return
				}
				p.recorder.Mark(mark.SIGTERM, s.at, mark.Detail{Signal: s.name})
				terms <- struct{}{}
			case <-p.alive.Done():
				return
			}
		}
	}()
	return terms
}
