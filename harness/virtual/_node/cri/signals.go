package cri

import (
	"slices"
	"time"

	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/victim"
	"github.com/podclock/podclock/harness/victim/play"
)

// send sends a signal to the process. It arrives even if the sender stops waiting. The fault program does not get
// signals without a handler: they do not reach PID 1 of a PID namespace (pid_namespaces(7)), or a Go program ignores
// them.
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

// sendKill sends SIGKILL.
func (p *process) sendKill() { time.AfterFunc(signalDelivery, p.kill) }

// terms marks every stop signal with the time of its arrival, also those before Started, and passes it on. It holds
// signals back for as long as the fault program does.
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
