package kube

import (
	"context"
	"net/http"
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// Objects are those of one kind. O and L are pointers to an object and to a list.
type Objects[O object, L runtime.Object] struct {
	group               rest.Interface
	resource, namespace string
}

type object interface {
	runtime.Object
	metav1.Object
}

func of[O object, L runtime.Object](objects *Objects[O, L], group rest.Interface, resource string) {
	objects.group, objects.resource = group, resource
}

// In returns the objects of a namespace.
func (o Objects[O, L]) In(namespace string) Objects[O, L] {
	o.namespace = namespace
	return o
}

// Get reads an object.
func (o Objects[O, L]) Get(ctx context.Context, name string) (O, error) {
	return do[O](ctx, o.request(http.MethodGet).Name(name))
}

// List reads the objects that the options choose.
func (o Objects[O, L]) List(ctx context.Context, options metav1.ListOptions) (L, error) {
	return do[L](ctx, o.request(http.MethodGet).VersionedParams(&options, parameters))
}

// Informer returns a watch of all objects.
func (o Objects[O, L]) Informer() cache.SharedIndexInformer {
	return cache.NewSharedIndexInformer(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return o.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.Watch = true
			request := o.request(http.MethodGet).VersionedParams(&options, parameters)
			if options.TimeoutSeconds != nil {
				request.Timeout(time.Duration(*options.TimeoutSeconds) * time.Second)
			}
			return request.Watch(ctx)
		},
	}, create[O](), 0, nil)
}

// Create returns the object as the API server made it.
func (o Objects[O, L]) Create(ctx context.Context, object O) (O, error) {
	return do[O](ctx, o.request(http.MethodPost).Body(object))
}

// Update returns the object as the API server changed it.
func (o Objects[O, L]) Update(ctx context.Context, object O) (O, error) {
	return do[O](ctx, o.request(http.MethodPut).Name(object.GetName()).Body(object))
}

// Delete asks for an object's end.
func (o Objects[O, L]) Delete(ctx context.Context, name string, options metav1.DeleteOptions) error {
	return o.request(http.MethodDelete).Name(name).Body(&options).Do(ctx).Error()
}

// request is in protobuf, unless the client's configuration names another form.
func (o Objects[O, L]) request(verb string) *rest.Request {
	return o.group.Verb(verb).UseProtobufAsDefaultIfPreferred(true).
		NamespaceIfScoped(o.namespace, o.namespace != "").Resource(o.resource)
}

func do[A runtime.Object](ctx context.Context, request *rest.Request) (A, error) {
	answer := create[A]()
	return answer, request.Do(ctx).Into(answer)
}

// create returns a new object of a pointer's type.
func create[P any]() P { return reflect.New(reflect.TypeFor[P]().Elem()).Interface().(P) }
