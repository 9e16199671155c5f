//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/measure/victim/play"
)

// live plays one life of a container. It returns the exit code, unless something kills the process first.
func live(run victim.Run) (int, error) {
	started := make(chan *recorder, 1)
	terms := watchStopSignals(started, run.StopSignalHold())

	id, address, err := environment(os.Getenv)
	if err != nil {
		return 0, err
	}
	calls, err := service(run)
	if err != nil {
		return 0, err
	}
	servers, err := listen(run, id)
	if err != nil {
		return 0, notServing(err)
	}
	recorder, err := connect(mark.Run, id, address)
	if err != nil {
		return 0, err
	}
	if err := hold(run.Ballast); err != nil {
		return 0, err
	}
	probes := play.NewProbes(run, recorder)
	tcp, err := listenTCPProbes(run, probes)
	if err != nil {
		return 0, notServing(err)
	}
	if err := say(run); err != nil {
		return 0, err
	}
	recorder.Mark(mark.Started, time.Now(), mark.Detail{})
	started <- recorder
	ctx := context.Background() // a kill ends the process itself
	failed := make(chan play.Trouble, 8)
	servers.serve(ctx, run, recorder, probes, failed)
	if tcp != nil {
		go func() { failed <- notServing(tcp.serve()) }()
	}
	if run.Calls {
		go call(ctx, calls)
	}
	return play.Life{
		Run: run, Recorder: recorder, Probes: probes, Terms: terms, Failed: failed,
		Fill:          func() error { return fillFolder(run) },
		EndSandbox:    endSandbox,
		ExhaustMemory: func() error { return allocate(victim.MostMemory) },
	}.Live(ctx)
}

// say writes the log and the termination message, whose file the kubelet makes for every user.
func say(run victim.Run) error {
	if run.Log != "" {
		fmt.Println(run.Log)
	}
	if run.Message == "" {
		return nil
	}
	return os.WriteFile(victim.MessageFile, []byte(run.Message), 0o600)
}

// endSandbox ends the pause process. It returns only if this process lives on.
func endSandbox() error {
	if os.Getpid() == 1 {
		return errors.New("this process is PID 1: its pod's containers must share their processes")
	}
	if err := unix.Kill(1, unix.SIGTERM); err != nil {
		return fmt.Errorf("sending SIGTERM to the pause process: %w", err)
	}
	time.Sleep(victim.AskFor)
	return fmt.Errorf("not killed within %s of the pause process's SIGTERM", victim.AskFor)
}

func notServing(err error) play.Trouble {
	return play.Trouble{Code: victim.ExitNotServing, Err: err}
}

// listeners serve all probes except TCP's. They listen at once, so no early probe is refused, and answer after
// Started.
type listeners struct{ exec, http, grpc net.Listener }

func listen(run victim.Run, id mark.Identity) (l listeners, err error) {
	if l.exec, err = listenExecProbes(id); err != nil {
		return l, err
	}
	if run.HTTPPort != 0 {
		if l.http, err = listenPort("HTTP", run.HTTPPort); err != nil {
			return l, err
		}
	}
	if run.GRPCPort != 0 {
		l.grpc, err = listenPort("gRPC", run.GRPCPort)
	}
	return l, err
}

func (l listeners) serve(
	ctx context.Context, run victim.Run, recorder *recorder, probes *play.Probes, failed chan<- play.Trouble,
) {
	go func() { failed <- notServing(serveExecProbes(l.exec, probes)) }()
	if l.http != nil {
		go func() { failed <- notServing(play.ServeHTTP(ctx, l.http, run, recorder, probes)) }()
	}
	if l.grpc != nil {
		go func() { failed <- notServing(play.ServeGRPC(ctx, l.grpc, run, probes)) }()
	}
}

func listenPort(what string, port int) (net.Listener, error) {
	listener, err := net.Listen("tcp", fmt.Sprintf(":%d", port))
	if err != nil {
		return nil, fmt.Errorf("listening for %s probes: %w", what, err)
	}
	return listener, nil
}

func runHook(hook victim.Hook) (int, error) {
	id, address, err := environment(os.Getenv)
	if err != nil {
		return 0, err
	}
	if hook.PostStart {
		// The recorder knows their life only after the main process's hello.
		if err := awaitMain(id); err != nil {
			return 0, play.Trouble{
				Code: victim.ExitNoMain,
				Err:  fmt.Errorf("waiting for the main process before a postStart hook: %w", err),
			}
		}
	}
	recorder, err := connect(mark.Hook, id, address)
	if err != nil {
		return 0, err
	}
	return play.Hook(context.Background(), hook, recorder), nil
}

func stopSignals() []os.Signal {
	var all []os.Signal
	for _, name := range victim.StopSignals() {
		all = append(all, unix.SignalNum(name))
	}
	return all
}

// watchStopSignals installs the handler at once and first stamps every stop signal. Early signals are marked after
// Started, with their own time. hold delays every mark.
func watchStopSignals(started <-chan *recorder, hold time.Duration) <-chan struct{} {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, stopSignals()...)
	terms := make(chan struct{}, 16)
	go func() {
		var recorder *recorder
		for s := range signals {
			at := time.Now()
			if recorder == nil {
				recorder = <-started
			}
			time.Sleep(hold)
			recorder.Mark(mark.SIGTERM, at, mark.Detail{Signal: unix.SignalName(s.(syscall.Signal))})
			terms <- struct{}{}
		}
	}()
	return terms
}
