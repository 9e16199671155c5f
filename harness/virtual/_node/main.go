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
	if err := enter(root); err != nil {
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
			code := serve(os.Stdin, answers, dog, kubeletRoot)
			_ = os.RemoveAll(root)
			os.Exit(code)
		})
	}}}, nil, nil)
}

// kubeletRoot is the folder of the kubelet's files below the working directory. It has the same path in every process,
// because maps have paths as keys.
const kubeletRoot = "/proc/self/cwd/kubelet"

func enter(root string) error {
	if err := os.Mkdir(filepath.Join(root, filepath.Base(kubeletRoot)), 0o700); err != nil {
		return err
	}
	return os.Chdir(root)
}

const logFlush = 5 * time.Second

const maxMemory = 1 << 30

// saveCPU makes the process cheap: it lives for a fraction of a second, one on each core. On one processor, goroutines
// also wake in the same order: see harness/kubelet/builder/order.go.
func saveCPU() {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(maxMemory)
}
