package lab

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/node/internal/watch"
)

const watchStart = 30 * time.Second

// watch starts the watches. Informers resume after an outage of the API server.
func (l *site) watch(ctx context.Context) error {
	l.pods, l.events, l.conditions = watch.NewPods(), watch.NewEvents(), watch.NewConditions()
	l.endpoints = watch.NewEndpoints()
	here := informers.NewSharedInformerFactoryWithOptions(l.server, 0, informers.WithNamespace(l.options.Namespace))
	pods, events := here.Core().V1().Pods().Informer(), here.Core().V1().Events().Informer()
	nodes := here.Core().V1().Nodes().Informer()
	all := []cache.SharedIndexInformer{pods, events, nodes}
	handle := func(informer cache.SharedIndexInformer, take func(obj any), gone func(obj any)) error {
		_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: take, UpdateFunc: func(_, obj any) { take(obj) }, DeleteFunc: gone,
		})
		return errors.Join(err, informer.SetTransform(watch.Lean))
	}
	err := errors.Join(
		handle(pods, func(obj any) { l.pods.Take(obj, false) }, func(obj any) { l.pods.Take(obj, true) }),
		handle(events, l.events.Take, nil), handle(nodes, l.takeNode, l.loseNode),
	)
	if !l.options.External { // no trial there has a Service
		slices := here.Discovery().V1().EndpointSlices().Informer()
		all = append(all, slices)
		err = errors.Join(err, handle(slices,
			func(obj any) { l.endpoints.Take(obj, false) }, func(obj any) { l.endpoints.Take(obj, true) }))
	}
	if err != nil {
		return fmt.Errorf("watch namespace %s: %w", l.options.Namespace, err)
	}
	var synced []cache.InformerSynced
	for _, i := range all {
		go i.RunWithContext(ctx)
		synced = append(synced, i.HasSynced)
	}
	bounded, cancel := context.WithTimeout(ctx, watchStart)
	defer cancel()
	if !cache.WaitForCacheSync(bounded.Done(), synced...) {
		return fmt.Errorf("the first listing of the pods and events of namespace %s did not come within %v",
			l.options.Namespace, watchStart)
	}
	return nil
}

// takeNode notes a node's conditions, and leaves a guest's alone that its owner cordoned, or that is not healthy.
func (l *site) takeNode(obj any) {
	l.conditions.Take(obj)
	if n, ok := obj.(*corev1.Node); ok && l.options.Unfit != nil && l.nodes[n.Name] != nil {
		if why := l.options.Unfit(n); why != "" {
			l.lose(l.nodes[n.Name], fmt.Errorf("the node is left alone: %s", why))
		}
	}
}

func (l *site) loseNode(obj any) {
	if missed, late := obj.(cache.DeletedFinalStateUnknown); late {
		obj = missed.Obj
	}
	if n, ok := obj.(*corev1.Node); ok && l.nodes[n.Name] != nil {
		l.lose(l.nodes[n.Name], errors.New("the node was removed from the cluster"))
	}
}

// lose abandons a node. What its kubelet did just before is no verdict on it either: a shutdown kills pods.
func (l *site) lose(n *node, why error) {
	if n.reader != nil && !n.isAbandoned() {
		now := time.Now()
		n.addLossBetween(now.Add(-runner.ShownWithin), now, why.Error())
	}
	l.abandon(n, why)
}
