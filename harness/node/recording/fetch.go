package recording

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/rest"

	"github.com/podclock/podclock/harness/measure/mark"
)

// ThroughAPIServer asks the recorder in a pod through the API server's pod proxy. core is a client of the core API
// group.
func ThroughAPIServer(core rest.Interface, namespace, pod string) Fetch {
	return func(ctx context.Context, from Position, wait time.Duration) (mark.Batch, error) {
		request := core.Get().Namespace(namespace).Resource("pods").Name(fmt.Sprintf("%s:%d", pod, mark.ReaderPort)).
			SubResource("proxy").Suffix(mark.ReaderPath)
		request.Param("epoch", from.Epoch).Param("after", fmt.Sprint(from.After)).Param("wait", wait.String())
		body, err := request.DoRaw(ctx)
		if err != nil {
			return mark.Batch{}, fmt.Errorf("reading the recorder in pod %s/%s through the API server: %w",
				namespace, pod, err)
		}
		return decode(body, namespace+"/"+pod)
	}
}

// Owned rejects answers of another pod's recorder. One of an earlier run may still hold the port on the host's network.
func Owned(owner func() string, fetch Fetch) Fetch {
	return func(ctx context.Context, from Position, wait time.Duration) (mark.Batch, error) {
		batch, err := fetch(ctx, from, wait)
		if uid := owner(); err == nil && batch.Owner != uid {
			return mark.Batch{}, fmt.Errorf("another recorder answers, that of pod %q instead of %q: "+
				"it is from an earlier run, or of another version", batch.Owner, uid)
		}
		return batch, err
	}
}

func decode(body []byte, pod string) (batch mark.Batch, err error) {
	err = json.Unmarshal(body, &batch)
	if err == nil && batch.Epoch == "" {
		err = errors.New("no epoch")
	}
	if err != nil {
		err = fmt.Errorf("understanding the recorder in pod %s (is it of another version?): %w: %.200s", pod, err, body)
	}
	return batch, err
}
