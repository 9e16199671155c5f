package cri

import (
	"time"

	"github.com/podclock/podclock/harness/mark"
)

// handled are the signals for which the fault program has a handler. Another one that a runtime may send to stop a container would not reach PID 1 of
// a PID namespace (pid_namespaces(7)), or a Go program would ignore it.
var handled = map[string]bool{"SIGTERM": true, "SIGINT": true, "SIGQUIT": true, "SIGUSR1": true}

// send sends a signal to the process; it arrives even if its sender has given up waiting for that.
func (p *process) send(name string) {
	time.AfterFunc(signalDelivery, func() {
		if !handled[name] {
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

// terms marks every stop signal, those that came before Started too, with the time at which they came, and passes it on.
func (p *process) terms() <-chan struct{} {
	terms := make(chan struct{}, cap(p.signals))
	go func() {
		for {
			select {
			case s := <-p.signals:
				p.recorder.Mark(mark.SIGTERM, s.at, mark.Detail{Signal: s.name})
				terms <- struct{}{}
			case <-p.alive.Done():
				return
			}
		}
	}()
	return terms
}
