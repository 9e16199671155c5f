// Node is the virtual node: the whole kubelet of one version of Kubernetes in a bubble of virtual time
// (testing/synctest), with a container runtime, an API server and a machine made for it. It serves one scenario after
// another by the protocol of package wire on its standard input and output, and logs to its standard error. Each
// scenario has a bubble of its own, whose clock stops while it waits for a request, and for good at its end.
//
// It is compiled against the module file of one version (../kubernetes). Its folder's name keeps it out of the main
// module, which does not depend on k8s.io/kubernetes.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
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
		fmt.Fprintln(os.Stderr, "make a folder for the kubelets' files:", err)
		os.Exit(exitUnserved)
	}
	saveCPU()
	signal.Ignore(syscall.SIGPIPE)  // without a lab, sending an answer fails and the files are removed
	klog.StartFlushDaemon(logFlush) // otherwise the first logged line starts it inside the bubble
	answers := newAnswers(os.Stdout)
	dog := watch(answers, func() { _ = os.RemoveAll(root) })
	requests := json.NewDecoder(os.Stdin)
	// A bubble needs a test. This one never returns, because some loops of the kubelet cannot be ended.
	testing.Main(regexp.MatchString, []testing.InternalTest{{Name: "nodes", F: func(t *testing.T) {
		ended, stopped := make(chan *wire.Request), make(chan struct{}) // of no bubble
		var start *wire.Request
		var own string
		for {
			var err error
			if own, err = enter(root, own); err != nil {
				fmt.Fprintln(os.Stderr, "make a folder for the kubelet's files:", err)
				os.Exit(exitUnserved)
			}
			go synctest.Test(t, func(*testing.T) {
				next, code := serve(start, requests, answers, dog, kubeletRoot)
				if next == nil {
					_ = os.RemoveAll(root)
					os.Exit(code)
				}
				ended <- next
				<-stopped // never, and a wait for a channel of no bubble stops the bubble's time
			})
			start = <-ended
		}
	}}}, nil, nil)
}

// kubeletRoot is the folder of the kubelet's files below the working directory. It has the same path in every scenario,
// because maps have paths as keys.
const kubeletRoot = "/proc/self/cwd/kubelet"

// enter makes a folder for a kubelet's files, and removes that of the scenario before, "" for none.
func enter(root, before string) (own string, err error) {
	if own, err = os.MkdirTemp(root, ""); err != nil {
		return "", err
	}
	if err := os.Mkdir(filepath.Join(own, filepath.Base(kubeletRoot)), 0o700); err != nil {
		return "", err
	}
	if err := os.Chdir(own); err != nil {
		return "", err
	}
	return own, os.RemoveAll(before)
}

const logFlush = 5 * time.Second

const maxMemory = 1 << 30

// saveCPU makes the process cheap: it lives for a fraction of a second, one on each core. On one processor, goroutines
// also wake in the same order: see harness/kubelets/builder/order.go.
func saveCPU() {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(maxMemory)
}
