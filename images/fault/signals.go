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

// stopSignals are victim.StopSignals as the system knows them.
func stopSignals() []os.Signal {
	var all []os.Signal
	for _, name := range victim.StopSignals() {
		all = append(all, unix.SignalNum(name))
	}
	return all
}

// watchStopSignals installs the handler at once, and stamps every stop signal before it does anything else.
// Those that come before the recorder is reached are marked after Started, with the time at which they
// came; all are held back for a time.
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
