// Node is the virtual node: the whole kubelet of one version of Kubernetes in a bubble of virtual time (testing/synctest), with a container runtime, an API
// server and a machine that are made for it. It serves one scenario by the protocol of package wire on its standard input and output, and writes the
// kubelet's log to its standard error. Its clock stands still while it waits for a request.
//
// It is compiled against the module file of one version (../kubernetes). Its folder's name keeps it out of the main module, which is free of
// k8s.io/kubernetes.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"testing"
	"testing/synctest"

	"k8s.io/component-base/version"
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
	answers := newAnswers(os.Stdout)
	dog := watch(answers, func() { _ = os.RemoveAll(root) })
	testing.Init()
	// A bubble needs a test. This one never returns: the kubelet has loops that nothing can end, so the process ends from within.
	testing.RunTests(regexp.MatchString, []testing.InternalTest{{Name: "node", F: func(t *testing.T) {
		synctest.Test(t, func(*testing.T) {
			code := serve(os.Stdin, answers, dog, root)
			_ = os.RemoveAll(root)
			os.Exit(code)
		})
	}}})
	os.Exit(exitUnserved) // the bubble's test has failed, and said why
}

// exitUnserved is the exit code of a node that could not serve its requests.
const exitUnserved = 1
