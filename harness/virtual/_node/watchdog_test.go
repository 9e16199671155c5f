package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/virtual/wire"
)

// dump is what the runtime says of a bubble in which one goroutine waits for a mutex that a sleeping one holds.
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
	g.Expect(text).NotTo(gomega.Or(gomega.ContainSubstring("registerWithAPIServer"), gomega.ContainSubstring("serve()"), gomega.ContainSubstring("os.(*File)")))
	g.Expect(holders("")).To(gomega.ContainSubstring("no goroutine is seen"))
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
