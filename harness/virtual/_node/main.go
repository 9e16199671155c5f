// Node is the virtual node: the whole kubelet of one version of Kubernetes in a bubble of virtual time
// (testing/synctest), with a container runtime, an API server and a machine that are made for it. It serves
// one scenario by the protocol of package wire on its standard input and output, and writes the kubelet's
// log to its standard error. Its clock stands still while it waits for a request.
//
// It is compiled against the module file of one version (../kubernetes). Its folder's name keeps it out of
// the main module, which is free of k8s.io/kubernetes.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/component-base/version"
	"k8s.io/klog/v2"
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
	spare()
	signal.Ignore(syscall.SIGPIPE)  // a lab that is gone shows in an answer's error, and the files are removed
	klog.StartFlushDaemon(logFlush) // the first line that is logged would start it inside the bubble
	answers := newAnswers(os.Stdout)
	dog := watch(answers, func() { _ = os.RemoveAll(root) })
	// A bubble needs a test. This one never returns: the kubelet has loops that nothing can end, so the
	// process ends from within.
	testing.Main(regexp.MatchString, []testing.InternalTest{{Name: "node", F: func(t *testing.T) {
		synctest.Test(t, func(*testing.T) {
			code := serve(os.Stdin, answers, dog, root)
			_ = os.RemoveAll(root)
			os.Exit(code)
		})
	}}}, nil, nil)
}

// logFlush is how often the log is flushed in real time.
const logFlush = 5 * time.Second

// exitUnserved is the exit code of a node that could not serve its requests.
const exitUnserved = 1

// mostMemory is what the process' heap may grow to before it is collected.
const mostMemory = 1 << 30

// spare makes the process cheap: it lives for a fraction of a second, and there is one for each core.
// Goroutines that take turns on one processor are also woken in the same order each time, mostly.
func spare() {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(mostMemory)
}
