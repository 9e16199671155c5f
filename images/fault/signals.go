package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/victim"
)

// stopSignals are what a container runtime may send to stop a container: SIGTERM, or what the image's STOPSIGNAL says. They all do what
// victim.Run says of SIGTERM.
var stopSignals = []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGUSR1}

// overtaking is how long a stop signal is held back, stamped, so that the mark of the probe that caused it comes first. The kernel refuses a TCP
// probe before this process knows of it, and the kubelet's SIGTERM can follow in 8 ms; every other probe is marked before it is answered.
func overtaking(run victim.Run) time.Duration {
	if run.TCPPort == 0 {
		return 0
	}
	return 50 * time.Millisecond
}

// watchStopSignals installs the handler at once, and stamps every stop signal before it does anything else. Those that come before the
// recorder is reached are marked after Started, with the time at which they came; all are held back for a time.
func watchStopSignals(started <-chan *recorder, hold time.Duration) <-chan struct{} {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, stopSignals...)
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
