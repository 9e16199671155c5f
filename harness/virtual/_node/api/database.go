package api

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install" // the scheme's pods, with their defaults and conversions
)

var podsResource = corev1.SchemeGroupVersion.WithResource("pods")

// codec reads and writes pods as JSON of v1, as the server's database does.
var codec = legacyscheme.Codecs.LegacyCodec(corev1.SchemeGroupVersion)

// database replaces etcd below the registry of pods, with storage/etcd3's compare and swap.
type database struct {
	// nil: the registry calls only the methods below
	storage.Interface
	versioner storage.APIObjectVersioner
	history   *history

	mu   sync.Mutex
	rows map[string]row
}

type row struct {
	data     []byte
	revision uint64
}

func (d *database) Versioner() storage.Versioner { return d.versioner }

func (d *database) ReadinessCheck() error { return nil }

func (d *database) Create(_ context.Context, key string, obj, out runtime.Object, _ uint64) error {
	if version, err := d.versioner.ObjectResourceVersion(obj); err == nil && version != 0 {
		return storage.ErrResourceVersionSetOnCreate
	}
	data, err := d.encode(obj)
	if err != nil {
		return err
	}
	stored, ok, err := d.put(key, 0, data)
	switch {
	case err != nil:
		return err
	case !ok:
		return storage.NewKeyExistsError(key, 0)
	case out == nil:
		return nil
	}
	return d.decode(stored, out)
}

func (d *database) Get(_ context.Context, key string, options storage.GetOptions, out runtime.Object) error {
	r, ok := d.row(key)
	switch {
	case !ok && options.IgnoreNotFound:
		return runtime.SetZeroValue(out)
	case !ok:
		return storage.NewKeyNotFoundError(key, 0)
	}
	return d.decode(r, out)
}

func (d *database) remove(
	ctx context.Context, key string, out runtime.Object, preconditions *storage.Preconditions,
	validate storage.ValidateObjectFunc,
) error {
	for {
		r, ok := d.row(key)
		if !ok {
			return storage.NewKeyNotFoundError(key, 0)
		}
		existing := &core.Pod{}
		if err := d.decode(r, existing); err != nil {
			return err
		}
		if err := preconditions.Check(key, existing); err != nil {
			return err
		}
		if err := validate(ctx, existing); err != nil {
			return err
		}
		deleted, ok, err := d.put(key, r.revision, nil)
		if err != nil {
			return err
		}
		if ok {
			return d.decode(row{r.data, deleted.revision}, out)
		}
	}
}

// GuaranteedUpdate writes nothing if the update changes nothing.
func (d *database) GuaranteedUpdate(
	_ context.Context, key string, out runtime.Object, ignoreNotFound bool,
	preconditions *storage.Preconditions, update storage.UpdateFunc, _ runtime.Object,
) error {
	for {
		r, ok := d.row(key)
		existing := &core.Pod{}
		switch {
		case !ok && !ignoreNotFound:
			return storage.NewKeyNotFoundError(key, 0)
		case ok:
			if err := d.decode(r, existing); err != nil {
				return err
			}
		}
		if err := preconditions.Check(key, existing); err != nil {
			return err
		}
		updated, _, err := update(existing, storage.ResponseMeta{ResourceVersion: r.revision})
		if err != nil {
			return err
		}
		data, err := d.encode(updated)
		if err != nil {
			return err
		}
		if ok && bytes.Equal(data, r.data) {
			return d.decode(r, out)
		}
		stored, ok, err := d.put(key, r.revision, data)
		if err != nil {
			return err
		}
		if ok {
			return d.decode(stored, out)
		}
	}
}

func (d *database) row(key string) (row, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r, ok := d.rows[key]
	return r, ok
}

// put stores data, or deletes the key if data is nil. It returns false at another revision.
func (d *database) put(key string, revision uint64, data []byte) (row, bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	was := d.rows[key]
	if was.revision != revision {
		return row{}, false, nil
	}
	content := data
	if data == nil {
		content = was.data
	}
	pod, err := d.versioned(content)
	if err != nil {
		return row{}, false, err
	}
	name := types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
	if data == nil {
		delete(d.rows, key)
		return row{revision: d.history.write(podsResource, name, nil)}, true, nil
	}
	stored := row{data: data, revision: d.history.write(podsResource, name, pod)}
	d.rows[key] = stored
	return stored, true, nil
}

func (d *database) encode(obj runtime.Object) ([]byte, error) {
	obj = obj.DeepCopyObject()
	if err := d.versioner.PrepareObjectForStorage(obj); err != nil {
		return nil, err
	}
	return runtime.Encode(codec, obj)
}

func (d *database) decode(r row, out runtime.Object) error {
	if _, _, err := codec.Decode(r.data, nil, out); err != nil {
		return err
	}
	return d.versioner.UpdateObject(out, r.revision)
}

func (d *database) versioned(data []byte) (*corev1.Pod, error) {
	pod := &core.Pod{}
	if _, _, err := codec.Decode(data, nil, pod); err != nil {
		return nil, err
	}
	return versioned(pod)
}

func versioned(o runtime.Object) (*corev1.Pod, error) {
	pod, ok := o.(*core.Pod)
	if !ok {
		return nil, fmt.Errorf("not a pod: %T", o)
	}
	out := &corev1.Pod{}
	if err := legacyscheme.Scheme.Convert(pod.DeepCopy(), out, nil); err != nil {
		return nil, err
	}
	return out, nil
}
