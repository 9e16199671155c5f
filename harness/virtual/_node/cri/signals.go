package cri

import (
	"slices"
	"time"

	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/victim"
	"github.com/podclock/podclock/harness/victim/play"
)

// send sends a signal to the process; it arrives even if its sender has given up waiting for that. One that
// a runtime may send to stop a container and for which the fault program has no handler would not reach PID
// 1 of a PID namespace (pid_namespaces(7)), or a Go program would ignore it.
func (p *process) send(name string) {
	time.AfterFunc(signalDelivery, func() {
		if !slices.Contains(victim.StopSignals(), name) {
			return
		}
		select {
		case p.signals <- signal{name: name, at: time.Now()}:
		default: // more than the handler holds, as in os/signal
		}
	})
}

// sendKill sends SIGKILL.
func (p *process) sendKill() { time.AfterFunc(signalDelivery, p.kill) }

// terms marks every stop signal, those that came before Started too, with the time at which they came, and
// passes it on; all are held back for as long as the fault program does.
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
