package kubelet

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet"
	"k8s.io/kubernetes/pkg/probe/tcp"
)

func TestClientOfHooksChangesOnlyItsDialer(t *testing.T) {
	g := NewWithT(t)
	client := &http.Client{
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, MaxIdleConns: 7},
	}
	refused := errors.New("dialed")
	g.Expect(dialBy(client, func(context.Context, string, string) (net.Conn, error) { return nil, refused })).
		To(Succeed())
	_, err := client.Get("http://127.0.0.1:1/hook")
	g.Expect(err).To(MatchError(refused))
	transport := client.Transport.(*http.Transport)
	g.Expect(transport.TLSClientConfig.InsecureSkipVerify).To(BeTrue())
	g.Expect(transport.MaxIdleConns).To(Equal(7))
	g.Expect(dialBy(&http.Client{}, nil)).To(MatchError(ContainSubstring("<nil>")))
}

func TestMissingPrivateFieldsAreErrors(t *testing.T) {
	g := NewWithT(t)
	for _, way := range [][]string{{"renamed"}, {"probeManager", "prober"}, {"hostname", "tcp"}} {
		_, err := private(&kubelet.Kubelet{}, way...)
		g.Expect(err).To(MatchError(ContainSubstring("in this version")), "%v", way)
	}
	same := func(p tcp.Prober) tcp.Prober { return p }
	g.Expect(exchange(&kubelet.Kubelet{}, same, "hostname")).To(MatchError(ContainSubstring("it is a string")))
	g.Expect(exchange(&kubelet.Kubelet{}, func(string) string { return "other" }, "hostname")).To(Succeed())
}

func TestVariablesThatDoNotExist(t *testing.T) {
	g := NewWithT(t)
	var renamed <-chan time.Time
	g.Expect(func() { overwrite("cache.renamed", &renamed, make(<-chan time.Time)) }).
		To(PanicWith(ContainSubstring("cache.renamed")))
	there := make(<-chan time.Time)
	g.Expect(func() { overwrite("cache.there", &there, nil) }).NotTo(Panic())
	g.Expect(there).To(BeNil())
}

func TestErrorsAreLoggedAndTakeNoTime(t *testing.T) {
	g := NewWithT(t)
	var log bytes.Buffer
	klog.LogToStderr(false)
	klog.SetOutput(&log)
	defer func() { klog.Flush(); klog.LogToStderr(true) }()
	synctest.Test(t, func(*testing.T) {
		began := time.Now()
		for range 3 {
			utilruntime.HandleErrorWithContext(context.Background(), errors.New("trouble"), "It went wrong")
		}
		g.Expect(time.Since(began)).To(BeZero())
	})
	klog.Flush()
	g.Expect(log.String()).
		To(And(ContainSubstring("process_test.go"), ContainSubstring(`"It went wrong" err="trouble"`)))
}
