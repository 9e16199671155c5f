package lab

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// watchStart bounds the first listing of the lab's pods and events.
const watchStart = 30 * time.Second

// watch starts the watches. Informers resume by themselves after an outage of the API server.
func (l *site) watch(ctx context.Context) error {
	l.pods, l.events, l.conditions = &podWatch{
		newArrivals[seenPod](),
	}, &eventWatch{
		newArrivals[seenEvent](),
	}, newConditionWatch()
	cluster := informers.NewSharedInformerFactory(l.client, 0)
	nodes := cluster.Core().V1().Nodes().Informer()
	factory := informers.NewSharedInformerFactoryWithOptions(l.client, 0, informers.WithNamespace(l.options.Namespace))
	pods, events := factory.Core().V1().Pods().Informer(), factory.Core().V1().Events().Informer()
	_, err := pods.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { l.pods.take(obj, false) },
		UpdateFunc: func(_, obj any) { l.pods.take(obj, false) },
		DeleteFunc: func(obj any) { l.pods.take(obj, true) },
	})
	if err == nil {
		_, err = events.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    l.events.take,
			UpdateFunc: func(_, obj any) { l.events.take(obj) },
		})
	}
	if err == nil {
		_, err = nodes.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    l.conditions.take,
			UpdateFunc: func(_, obj any) { l.conditions.take(obj) },
		})
	}
	if err != nil {
		return fmt.Errorf("watch namespace %s: %w", l.options.Namespace, err)
	}
	factory.StartWithContext(ctx)
	cluster.StartWithContext(ctx)
	bounded, cancel := context.WithTimeout(ctx, watchStart)
	defer cancel()
	if !cache.WaitForCacheSync(bounded.Done(), pods.HasSynced, events.HasSynced, nodes.HasSynced) {
		return fmt.Errorf(
			"the first listing of the pods and events of namespace %s did not come within %v",
			l.options.Namespace,
			watchStart,
		)
	}
	return nil
}
