package runner

import (
	"context"
	"fmt"
	"net"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/podclock/podclock/harness/measure/victim"
)

// servicePort is the Service's own port. Its pods listen on victim.ServedPort.
const servicePort = 80

// createService makes the trial's Service, and notes its address for its clients.
func (s *ongoing) createService(ctx context.Context) error {
	service := &corev1.Service{ObjectMeta: s.meta(s.serviceName(), nil), Spec: *s.Trial.Service.DeepCopy()}
	service.Spec.Ports = []corev1.ServicePort{{Port: servicePort, TargetPort: intstr.FromInt32(victim.ServedPort)}}
	service.Spec.Selector = map[string]string{serviceLabel: s.labelled()}
	created := &corev1.Service{}
	request := Request{
		Method: http.MethodPost, Resource: "services", Namespace: s.Namespace, Body: service, Into: created,
	}
	if err := s.on.Do(ctx, request); err != nil {
		return fmt.Errorf("create the service of pod %s: %w", s.Name(""), err)
	}
	s.Service = net.JoinHostPort(created.Spec.ClusterIP, fmt.Sprint(servicePort))
	s.undo = append(s.undo, func(ctx context.Context) error {
		_ = s.on.Do(ctx, Request{ // else the namespace's deletion removes it
			Method: http.MethodDelete, Resource: "services", Namespace: s.Namespace, Name: service.Name,
		})
		return nil
	})
	return nil
}
