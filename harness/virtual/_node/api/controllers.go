package api

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/controller/tainteviction"
)

// startControllers starts the taint eviction controller and the admission, and waits for their first lists.
func (s *Server) startControllers() error {
	client := s.own.client
	factory := informers.NewSharedInformerFactory(client, 0)
	plugins, err := newAdmission(client, factory)
	if err != nil {
		return fmt.Errorf("start the admission: %w", err)
	}
	s.pods.admission = plugins
	nodes, podInformer := factory.Core().V1().Nodes(), factory.Core().V1().Pods()
	if err := podInformer.Informer().AddIndexers(cache.Indexers{"spec.nodeName": nodeNameIndex}); err != nil {
		return err
	}
	controller, err := tainteviction.New(s.ctx, client, podInformer, nodes, "taint-eviction-controller")
	if err != nil {
		return fmt.Errorf("start the taint eviction controller: %w", err)
	}
	factory.Start(s.ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(s.ctx.Done()) {
		if !synced {
			return errors.New("the informer of " + kind.String() + " got no list")
		}
	}
	go controller.Run(s.ctx)
	return nil
}

// nodeNameIndex is the index that the taint eviction controller expects in its informer.
func nodeNameIndex(o any) ([]string, error) {
	if pod, ok := o.(*corev1.Pod); ok && pod.Spec.NodeName != "" {
		return []string{pod.Spec.NodeName}, nil
	}
	return nil, nil
}
