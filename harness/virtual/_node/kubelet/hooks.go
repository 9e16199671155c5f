package kubelet

import (
	"context"
	"fmt"
	"net"
	"net/http"

	"k8s.io/kubernetes/pkg/kubelet"
)

// hooksDial makes the HTTP client of a kubelet's hooks dial with dial.
func hooksDial(kl *kubelet.Kubelet, dial func(ctx context.Context, network, address string) (net.Conn, error)) error {
	at, err := private(kl, "containerRuntime", "runner", "httpDoer")
	if err != nil {
		return err
	}
	client, ok := at.Interface().(*http.Client)
	if !ok {
		return fmt.Errorf("the client of HTTP hooks is a %v in this version; make that one dial", at.Elem().Type())
	}
	return dialBy(client, dial)
}

// dialBy makes a client dial with dial, and keeps the rest of its transport, such as trusted certificates.
func dialBy(client *http.Client, dial func(ctx context.Context, network, address string) (net.Conn, error)) error {
	transport, ok := client.Transport.(*http.Transport)
	if !ok {
		return fmt.Errorf("the client of HTTP hooks has a %T in this version; make that one dial", client.Transport)
	}
	transport = transport.Clone()
	transport.DialContext = dial
	client.Transport = transport
	return nil
}
