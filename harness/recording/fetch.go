package recording

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"k8s.io/client-go/rest"

	"github.com/podclock/podclock/harness/mark"
)

// query encodes the question as package mark describes it.
func query(from Position, wait time.Duration) url.Values {
	return url.Values{"epoch": {from.Epoch}, "after": {strconv.FormatUint(from.After, 10)}, "wait": {wait.String()}}
}

// ThroughAPIServer asks the recorder in a pod through the API server's pod proxy, which works wherever the
// API does. core is a client of the core API group, such as clientset.CoreV1().RESTClient().
func ThroughAPIServer(core rest.Interface, namespace, pod string) Fetch {
	return func(ctx context.Context, from Position, wait time.Duration) (mark.Batch, error) {
		request := core.Get().Namespace(namespace).Resource("pods").Name(fmt.Sprintf("%s:%d", pod, mark.ReaderPort)).
			SubResource("proxy").Suffix(mark.ReaderPath)
		for name, values := range query(from, wait) {
			request = request.Param(name, values[0])
		}
		body, err := request.DoRaw(ctx)
		if err != nil {
			return mark.Batch{}, fmt.Errorf(
				"reading the recorder in pod %s/%s through the API server: %w",
				namespace,
				pod,
				err,
			)
		}
		return decode(body, fmt.Sprintf("pod %s/%s", namespace, pod))
	}
}

// Owned rejects answers of another recorder than that of one pod, by its UID. On the host's network, the
// recorder of an earlier run may still hold the port.
func Owned(uid string, fetch Fetch) Fetch {
	return func(ctx context.Context, from Position, wait time.Duration) (mark.Batch, error) {
		batch, err := fetch(ctx, from, wait)
		if err == nil && batch.Owner != uid {
			return mark.Batch{}, fmt.Errorf("another recorder answers, that of pod %q instead of %q: "+
				"it is from an earlier run, or of another version", batch.Owner, uid)
		}
		return batch, err
	}
}

// Direct asks the recorder at an address, host:port.
func Direct(client *http.Client, address string) Fetch {
	return func(ctx context.Context, from Position, wait time.Duration) (mark.Batch, error) {
		where := url.URL{Scheme: "http", Host: address, Path: mark.ReaderPath, RawQuery: query(from, wait).Encode()}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, where.String(), nil)
		if err != nil {
			return mark.Batch{}, fmt.Errorf("reading the recorder at %s: %w", address, err)
		}
		response, err := client.Do(request)
		if err != nil {
			return mark.Batch{}, fmt.Errorf("reading the recorder at %s: %w", address, err)
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			return mark.Batch{}, fmt.Errorf("reading the recorder at %s: %w", address, err)
		}
		if response.StatusCode != http.StatusOK {
			return mark.Batch{}, fmt.Errorf("reading the recorder at %s: %s: %.200s", address, response.Status, body)
		}
		return decode(body, address)
	}
}

func decode(body []byte, from string) (batch mark.Batch, err error) {
	if err := json.Unmarshal(body, &batch); err != nil {
		return batch, fmt.Errorf(
			"understanding the recorder of %s (is it of another version?): %w: %.200s",
			from,
			err,
			body,
		)
	}
	if batch.Epoch == "" {
		return batch, fmt.Errorf(
			"understanding the recorder of %s (is it of another version?): no epoch in %.200s",
			from,
			body,
		)
	}
	return batch, nil
}
