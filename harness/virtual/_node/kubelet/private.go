package kubelet

import (
	"fmt"
	"reflect"
	"unsafe"

	"k8s.io/kubernetes/pkg/kubelet"
)

// private returns a private field of a kubelet by its path.
func private(kl *kubelet.Kubelet, path ...string) (reflect.Value, error) {
	at := reflect.ValueOf(kl)
	for _, name := range path {
		for at.Kind() == reflect.Interface || at.Kind() == reflect.Pointer {
			at = at.Elem()
		}
		if at.Kind() != reflect.Struct {
			return at, fmt.Errorf("find %v in the kubelet: the parent of %s is a %v in this version, not a struct: "+
				"look for its new place", path, name, at.Kind())
		}
		field := at.FieldByName(name)
		if !field.IsValid() {
			return at, fmt.Errorf("find %v in the kubelet: %v has no field %s in this version: look for its new place",
				path, at.Type(), name)
		}
		at = reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
	}
	return at, nil
}

// exchange replaces the value of such a field.
func exchange[T any](kl *kubelet.Kubelet, other func(T) T, path ...string) error {
	at, err := private(kl, path...)
	if err != nil {
		return err
	}
	field, ok := at.Addr().Interface().(*T)
	if !ok {
		return fmt.Errorf("replace %v in the kubelet: it is a %v in this version: adapt the replacement", path,
			at.Type())
	}
	*field = other(*field)
	return nil
}
