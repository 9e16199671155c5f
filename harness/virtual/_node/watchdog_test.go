package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/virtual/wire"
)

// dump is the runtime's stacks of a bubble in which one goroutine waits for a mutex that a sleeping one holds.
const dump = `goroutine 7 [running, synctest bubble 1]:
main.stacks()

goroutine 8 [sync.Mutex.Lock, synctest bubble 1]:
k8s.io/kubernetes/pkg/kubelet.(*Kubelet).fastNodeStatusUpdate()

goroutine 9 [sleep (durable), synctest bubble 1]:
k8s.io/kubernetes/pkg/kubelet.(*Kubelet).registerWithAPIServer()

goroutine 10 [synctest.Wait, synctest bubble 1]:
main.serve()

goroutine 11 [IO wait]:
os.(*File).Read()
`

func TestNamesTheGoroutinesThatHoldTime(t *testing.T) {
	g := gomega.NewWithT(t)
	text := holders(dump)
	g.Expect(text).To(gomega.ContainSubstring("fastNodeStatusUpdate"))
	g.Expect(text).
		NotTo(gomega.Or(gomega.ContainSubstring("registerWithAPIServer"), gomega.ContainSubstring("serve()"),
			gomega.ContainSubstring("os.(*File)")))
	g.Expect(holders("")).To(gomega.ContainSubstring("no goroutine holds it visibly"))
}

// The runtime's headings of goroutines that hold the time of a bubble: one waits for a pipe, one for a mutex.
func TestNamesThoseThatReallyHoldTime(t *testing.T) {
	g := gomega.NewWithT(t)
	read, write, err := os.Pipe()
	g.Expect(err).NotTo(gomega.HaveOccurred())
	told := make(chan string)
	go func() {
		time.Sleep(200 * time.Millisecond)
		all := stacks()
		_ = write.Close()
		g.Expect(busy(all)).To(gomega.BeFalse())
		told <- holders(all)
	}()
	synctest.Test(t, func(*testing.T) {
		go time.Sleep(time.Hour)
		go readTheHost(read)
		time.Sleep(2 * time.Hour) // passes when the pipe is closed
	})
	g.Expect(<-told).
		To(gomega.And(gomega.ContainSubstring("readTheHost"), gomega.Not(gomega.ContainSubstring("time.Sleep"))))
}

func readTheHost(from io.Reader) { _, _ = from.Read(make([]byte, 1)) }

func TestOneThatComputesIsBusy(t *testing.T) {
	g := gomega.NewWithT(t)
	g.Expect(busy(dump)).To(gomega.BeTrue())
	g.Expect(busy(strings.Replace(dump, "[running,", "[sync.Mutex.Lock,", 1))).To(gomega.BeFalse())
}

func TestAnswersHoldWhatWasRecordedSince(t *testing.T) {
	g := gomega.NewWithT(t)
	var out bytes.Buffer
	recorded := newTape()
	recorded.takeConditions(wire.Conditions{At: 1, True: []string{"Ready"}})
	var first, second wire.Answer
	recorded.unwind(&first)
	recorded.unwind(&second)
	g.Expect(first.Conditions).To(gomega.HaveLen(1))
	g.Expect(second.Conditions).To(gomega.BeEmpty())
	g.Expect(newAnswers(&out).send(first)).To(gomega.Succeed())
	var read wire.Answer
	g.Expect(json.Unmarshal(out.Bytes(), &read)).To(gomega.Succeed())
	g.Expect(read).To(gomega.Equal(first))
}
