package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/victim"
	"github.com/podclock/podclock/harness/victim/play"
)

// askEvery spaces the attempts of an exec probe to reach the main process.
const askEvery = 5 * time.Millisecond

// mainSocket is where the main process answers exec probes: an abstract unix socket, which needs no file
// system to write to, dies with the process and is seen by all processes of the pod, as they share its
// network. The name is a hash because its length is bounded.
func mainSocket(id mark.Identity) string {
	return fmt.Sprintf("@podclock-fault-%.16x", sha256.Sum256([]byte(id.UID+"/"+id.Container)))
}

func listenExecProbes(id mark.Identity) (net.Listener, error) {
	listener, err := net.Listen("unix", mainSocket(id))
	if err != nil {
		return nil, fmt.Errorf("listening for exec probes of container %s: %w", id.Container, err)
	}
	return listener, nil
}

// startedYet is asked in the place of a probe's kind by one who waits for the main process' start. The
// answer is S, once it has marked Started.
const startedYet = "started"

// serveExecProbes answers the processes of exec probes: a line with the probe's kind comes in, the letter
// of the answer goes out.
func serveExecProbes(listener net.Listener, probes *play.Probes) error {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return fmt.Errorf("serving exec probes: %w", err)
		}
		go answerExec(conn, time.Now(), probes)
	}
}

func answerExec(conn net.Conn, at time.Time, probes *play.Probes) {
	defer func() { _ = conn.Close() }()
	in := bufio.NewReader(conn)
	line, err := in.ReadString('\n')
	if err != nil {
		return
	}
	probe := strings.TrimSuffix(line, "\n")
	if probe == startedYet {
		_, _ = conn.Write([]byte{byte(victim.Succeed)})
		return
	}
	answer, _ := probes.Arrived(probe, play.ByExec, at)
	defer probes.Done(probe)
	// The probe's process says nothing more: when the read ends, it has exited with the answer or was killed.
	ctx, gone := context.WithCancel(context.Background())
	go func() {
		defer gone()
		_, _ = in.ReadByte()
	}()
	if probes.Wait(ctx, answer) {
		_, _ = conn.Write([]byte{byte(answer)})
		<-ctx.Done()
	}
}

// ask is an exec probe: its exit code is the main process' answer.
func ask(probe victim.ExecProbe) (int, error) {
	id, address, err := environment(os.Getenv)
	if err != nil {
		return 0, err
	}
	if _, err := connect(mark.Probe, id, address); err != nil {
		return 0, err
	}
	answer, err := askMain(probe.For, id)
	if err != nil {
		return 0, play.Trouble{
			Code: victim.ExitNoMain,
			Err:  fmt.Errorf("asking the main process for the answer of a %s probe: %w", probe.For, err),
		}
	}
	code, output := play.ExecResult(probe.For, answer)
	fmt.Print(output)
	return code, nil
}

// awaitMain returns when the main process has marked its start.
func awaitMain(id mark.Identity) error {
	_, err := askMain(startedYet, id)
	return err
}

func askMain(question string, id mark.Identity) (victim.Answer, error) {
	conn, err := dialMain(mainSocket(id))
	if err != nil {
		return 0, err
	}
	if _, err := fmt.Fprintln(conn, question); err != nil {
		return 0, err
	}
	var letter [1]byte
	if n, err := conn.Read(letter[:]); n == 0 {
		return 0, errors.Join(errors.New("it went away without an answer"), err)
	}
	// The connection stays open until this process exits: so the main process knows when the answer was given.
	return victim.Answer(letter[0]), nil
}

func dialMain(socket string) (conn net.Conn, err error) {
	for start := time.Now(); time.Since(start) < victim.AskFor; time.Sleep(askEvery) {
		if conn, err = net.Dial("unix", socket); err == nil {
			return conn, nil
		}
	}
	return nil, fmt.Errorf("no answer for %s: %w", victim.AskFor, err)
}
