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

// stopSignals returns victim.StopSignals as signals of the system.
func stopSignals() []os.Signal {
	var all []os.Signal
	for _, name := range victim.StopSignals() {
		all = append(all, unix.SignalNum(name))
	}
	return all
}

// watchStopSignals installs the handler at once and first stamps every stop signal. Signals before the
// connection to the recorder are marked after Started, with their own time. hold delays every mark.
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
