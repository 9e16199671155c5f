//go:build linux

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

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/measure/victim/play"
)

// askEvery is the time between two tries of an exec probe to reach the main process.
const askEvery = 5 * time.Millisecond

// mainSocket returns the abstract unix socket on which the main process answers exec probes. It needs no writable
// file system, ends with the process, and is visible to the whole pod, which shares a network. Its name is a hash
// because its length is limited.
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

// startedYet is the question of a hook that waits for the main process's start, in place of a probe's kind.
// The answer is S, after the mark Started.
const startedYet = "started"

// serveExecProbes reads a line with a probe's kind and writes the letter of the answer.
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

// ask runs an exec probe. The exit code is the main process's answer.
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
		return 0, errors.Join(errors.New("it ended without an answer"), err)
	}
	// The connection stays open until this process exits, so the main process knows when the answer was given.
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
