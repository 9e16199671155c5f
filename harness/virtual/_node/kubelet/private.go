package kubelet

import (
	"fmt"
	"reflect"
	"unsafe"

	"k8s.io/kubernetes/pkg/kubelet"
)

// private is a field that nothing of a kubelet gives away, by its way from there.
func private(kl *kubelet.Kubelet, way ...string) (reflect.Value, error) {
	at := reflect.ValueOf(kl)
	for _, name := range way {
		for at.Kind() == reflect.Interface || at.Kind() == reflect.Pointer {
			at = at.Elem()
		}
		if at.Kind() != reflect.Struct {
			return at, fmt.Errorf(
				"look for %v in the kubelet: what should have %s is no struct in this version (%v); find where it is now",
				way,
				name,
				at.Kind(),
			)
		}
		field := at.FieldByName(name)
		if !field.IsValid() {
			return at, fmt.Errorf(
				"look for %v in the kubelet: %v has no field %s in this version; find where it is now",
				way,
				at.Type(),
				name,
			)
		}
		at = reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
	}
	return at, nil
}

// exchange puts another value into such a field.
func exchange[T any](kl *kubelet.Kubelet, other func(T) T, way ...string) error {
	at, err := private(kl, way...)
	if err != nil {
		return err
	}
	field, ok := at.Addr().Interface().(*T)
	if !ok {
		return fmt.Errorf(
			"look for %v in the kubelet: it is a %v in this version; make of it what it must be here",
			way,
			at.Type(),
		)
	}
	*field = other(*field)
	return nil
}
