package main

import (
	"net"
	"os"
	"time"

	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/victim"
)

// live is one life of a container: it returns the exit code, if the process gets to end itself at all.
func live(run victim.Run) (int, error) {
	started := make(chan *recorder, 1)
	terms := watchStopSignals(started, overtaking(run))

	id, address, err := environment(os.Getenv)
	if err != nil {
		return 0, err
	}
	servers, err := listen(run, id)
	if err != nil {
		return 0, trouble{victim.ExitNotServing, err}
	}
	recorder, err := connect(mark.Run, id, address)
	if err != nil {
		return 0, err
	}
	if err := hold(run.Ballast); err != nil {
		return 0, err
	}
	probes := newProbes(run, recorder)
	tcp, err := listenTCPProbes(run, probes)
	if err != nil {
		return 0, trouble{victim.ExitNotServing, err}
	}
	recorder.mark(mark.Started, time.Now(), mark.Detail{})
	started <- recorder
	failed := make(chan trouble, 8)
	servers.serve(run, recorder, probes, failed)
	if tcp != nil {
		go func() { failed <- trouble{victim.ExitNotServing, tcp.serve()} }()
	}

	if run.FillDir != "" {
		time.AfterFunc(run.FillAfter, func() { fill(run, recorder) })
	}
	code := run.ExitCodeIn(recorder.life)
	own := never
	if after, ok := run.ExitAfterIn(recorder.life); ok {
		own = time.After(after)
	}
	oom := never
	if run.OOMAfter > 0 {
		oom = time.After(run.OOMAfter)
	}
	delayed := never
	for {
		select {
		case <-terms:
			switch run.Term {
			case victim.Ignore:
				continue
			case victim.ExitAfter:
				if delayed == nil {
					delayed = time.After(run.TermDelay)
				}
				continue
			}
		case <-delayed:
		case <-own:
		case <-probes.enough:
			time.Sleep(victim.AnswerSettle)
		case <-oom:
			go func() { failed <- trouble{victim.ExitNotKilled, allocate(oomBound)} }()
			continue
		case trouble := <-failed:
			recorder.mark(mark.Exiting, time.Now(), mark.Detail{ExitCode: &trouble.code})
			return 0, trouble
		}
		recorder.mark(mark.Exiting, time.Now(), mark.Detail{ExitCode: &code})
		return code, nil
	}
}

// never is a time that does not come.
var never <-chan time.Time

// listeners are the sockets that probes come to, apart from TCP probes, whose answer is the state of the socket itself. They listen from the first
// moment, so that no early probe is refused, and are served from Started on.
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

func (l listeners) serve(run victim.Run, recorder *recorder, probes *probes, failed chan<- trouble) {
	go func() { failed <- trouble{victim.ExitNotServing, serveExecProbes(l.exec, probes)} }()
	if l.http != nil {
		go func() { failed <- trouble{victim.ExitNotServing, serveHTTP(l.http, run, recorder, probes)} }()
	}
	if l.grpc != nil {
		go func() { failed <- trouble{victim.ExitNotServing, serveGRPC(l.grpc, probes)} }()
	}
}
