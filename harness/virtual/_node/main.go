// Node is the virtual node: the whole kubelet of one version of Kubernetes in a bubble of virtual time
// (testing/synctest), with a container runtime, an API server and a machine made for it. It serves one scenario by
// the protocol of package wire on its standard input and output, and logs to its standard error. Its clock stops
// while it waits for a request.
//
// It is compiled against the module file of one version (../kubernetes). Its folder's name keeps it out of the main
// module, which does not depend on k8s.io/kubernetes.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/component-base/version"
	"k8s.io/klog/v2"

	"github.com/podclock/podclock/harness/virtual/wire"
)

func main() {
	showVersion := flag.Bool("version", false, "print the version of Kubernetes and exit")
	flag.Parse()
	if *showVersion {
		fmt.Printf("Kubernetes %s\n", version.Get().GitVersion)
		return
	}
	root, err := os.MkdirTemp("", "podclock-virtual-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "make a folder for the kubelet's files:", err)
		os.Exit(exitUnserved)
	}
	saveCPU()
	signal.Ignore(syscall.SIGPIPE)  // without a lab, sending an answer fails and the files are removed
	klog.StartFlushDaemon(logFlush) // otherwise the first logged line starts it inside the bubble
	answers := newAnswers(os.Stdout)
	dog := watch(answers, func() { _ = os.RemoveAll(root) })
	// A bubble needs a test. This one never returns, because some loops of the kubelet cannot be ended.
	testing.Main(regexp.MatchString, []testing.InternalTest{{Name: "node", F: func(t *testing.T) {
		synctest.Test(t, func(*testing.T) {
			code := serve(os.Stdin, answers, dog, root)
			_ = os.RemoveAll(root)
			os.Exit(code)
		})
	}}}, nil, nil)
}

const logFlush = 5 * time.Second

const exitUnserved = 1

const maxMemory = 1 << 30

// saveCPU makes the process cheap: it lives for a fraction of a second, one on each core. On one processor,
// goroutines also wake in the same order in most runs.
func saveCPU() {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(maxMemory)
}

// The real time for which virtual time may stop during a request: frozenAfter if no goroutine computes or waits for
// a disk, hungAfter in any case, which is shorter than the lab's timeout.
const (
	frozenAfter = 10 * time.Second
	hungAfter   = 25 * time.Second
)

// watchdog observes in real time, from outside of the bubble, whether virtual time passes.
type watchdog struct {
	// the bubble's seconds; guarding is set while they should pass
	seconds  atomic.Int64
	guarding atomic.Bool
	// the number of requests
	served atomic.Int64
}

// watch starts a watchdog. If virtual time stops, it sends an answer with the goroutines that hold it, and exits.
func watch(a *answers, cleanUp func()) *watchdog {
	d := &watchdog{}
	go func() {
		type progress struct{ seconds, served int64 }
		var last progress
		since := time.Now()
		for range time.Tick(frozenAfter / 10) {
			now := progress{d.seconds.Load(), d.served.Load()}
			if now != last || !d.guarding.Load() {
				last, since = now, time.Now()
				continue
			}
			stopped := time.Since(since)
			if stopped < frozenAfter {
				continue
			}
			if all := stacks(); stopped > hungAfter || !busy(all) {
				_ = a.send(wire.Answer{Frozen: holders(all)})
				cleanUp()
				os.Exit(exitUnserved)
			}
		}
	}()
	return d
}

func (d *watchdog) follow() {
	go func() {
		for {
			time.Sleep(time.Second)
			d.seconds.Add(1)
		}
	}()
}

func (d *watchdog) guard(serving bool) {
	d.guarding.Store(serving)
	d.served.Add(1)
}

func stacks() string {
	for size := 1 << 20; ; size *= 2 {
		text := make([]byte, size)
		if n := runtime.Stack(text, true); n < size {
			return string(text[:n])
		}
	}
}

// holders describes the goroutines that hold the bubble's time: those that are not durably blocked by their
// headings. The one in synctest.Wait waits for the others and holds nothing.
func holders(stacks string) string {
	holding := holding(stacks)
	if len(holding) == 0 {
		return "virtual time stopped, and no goroutine holds it visibly"
	}
	return "virtual time stopped; these goroutines of the bubble are not durably blocked:\n\n" +
		strings.Join(holding, "\n\n")
}

func holding(stacks string) []string {
	var all []string
	for goroutine := range strings.SplitSeq(stacks, "\n\n") {
		heading, _, _ := strings.Cut(goroutine, "\n")
		if strings.Contains(heading, "synctest bubble") && !strings.Contains(heading, "(durable)") &&
			!strings.Contains(heading, "synctest.Wait") {
			all = append(all, goroutine)
		}
	}
	return all
}

// busy reports whether a goroutine that holds the time computes or waits for the host's disk.
func busy(stacks string) bool {
	return slices.ContainsFunc(holding(stacks), func(goroutine string) bool {
		_, state, _ := strings.Cut(goroutine, "[")
		return strings.HasPrefix(state, "runn") || strings.HasPrefix(state, "syscall") // running, runnable
	})
}
