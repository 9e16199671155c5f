//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
)

// The real program as a process receives a mark, serves it, and ends on a signal.
func TestProgram(t *testing.T) {
	g := NewWithT(t)
	program := filepath.Join(t.TempDir(), "recorder")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	g.Expect(err).NotTo(HaveOccurred(), string(out))

	cmd := exec.Command(program, "--marks-address=127.0.0.1:0", "--reader-address=127.0.0.1:0")
	stdout, err := cmd.StdoutPipe()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(cmd.Start()).To(Succeed())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	g.Expect(err).NotTo(HaveOccurred())
	var marks, reader string
	_, err = fmt.Sscanf(line, "recorder: taking marks on %s serving readers on %s", &marks, &reader)
	g.Expect(err).NotTo(HaveOccurred(), line)
	marks = marks[:len(marks)-1] // the comma

	response, err := http.Get("http://" + reader + mark.HealthPath)
	g.Expect(err).NotTo(HaveOccurred())
	_ = response.Body.Close()
	g.Expect(response.StatusCode).To(Equal(http.StatusOK))

	conn, err := net.Dial("tcp", marks)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(json.NewEncoder(conn).Encode(mark.Hello{
		Identity: mark.Identity{Pod: "a/b", UID: "u", Container: "c", Role: mark.Run},
	})).
		To(Succeed())
	_, err = bufio.NewReader(conn).ReadString('\n')
	g.Expect(err).NotTo(HaveOccurred())
	_ = conn.Close()
	g.Eventually(func() []mark.Kind { return kinds(reader) }, 10*time.Second).
		Should(ContainElements(mark.Connected, mark.Gone))

	taken := exec.Command(program, "--marks-address="+marks, "--patience=0s")
	out, err = taken.CombinedOutput()
	g.Expect(err).To(HaveOccurred())
	g.Expect(string(out)).To(And(ContainSubstring(marks), ContainSubstring("another recorder")))

	// The next run's recorder starts before this one has ended, and reports its owner.
	next := exec.Command(program, "--marks-address="+marks, "--reader-address="+reader)
	next.Env = append(os.Environ(), victim.EnvUID+"=next")
	g.Expect(next.Start()).To(Succeed())
	t.Cleanup(func() { _ = next.Process.Kill() })
	g.Expect(cmd.Process.Signal(syscall.SIGTERM)).To(Succeed())
	g.Expect(cmd.Wait()).To(Succeed())
	g.Eventually(func() string { return ask(reader).Owner }, 10*time.Second).Should(Equal("next"))
	g.Expect(next.Process.Signal(syscall.SIGTERM)).To(Succeed())
	g.Expect(next.Wait()).To(Succeed())
}

func ask(reader string) (batch mark.Batch) {
	response, err := http.Get("http://" + reader + mark.ReaderPath)
	if err != nil {
		return batch
	}
	defer func() { _ = response.Body.Close() }()
	_ = json.NewDecoder(response.Body).Decode(&batch)
	return batch
}

func kinds(reader string) (kinds []mark.Kind) {
	for _, record := range ask(reader).Records {
		kinds = append(kinds, record.Kind)
	}
	return kinds
}
