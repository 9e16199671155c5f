package cri

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	criapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/podclock/podclock/harness/measure/victim/play"
)

// runSandbox is RunPodSandbox (sandbox_run.go). A cancelled call leaves nothing behind.
func (r *Runtime) runSandbox(ctx context.Context, config *criapi.PodSandboxConfig, handler string) (string, error) {
	if config.GetMetadata() == nil {
		return "", errors.New("sandbox config must include metadata")
	}
	number := r.number()
	s := &sandbox{
		id:        newID("sandbox", number),
		number:    number,
		config:    config,
		handler:   handler,
		createdAt: time.Now(),
		ready:     true,
	}
	pod := podOf(config)
	r.options.Journal.Name(s.id, pod+"/sandbox")
	if !play.Sleep(ctx, sandboxStart) {
		return "", fmt.Errorf("failed to start sandbox %q: %w", s.id, ctx.Err())
	}
	for name, value := range config.GetLinux().GetSysctls() {
		if _, err := strconv.Atoi(value); err != nil {
			return "", fmt.Errorf("failed to start sandbox %q: failed to create containerd task: failed to create "+
				"shim task: OCI runtime create failed: runc create failed: write sysctl key %s: invalid argument",
				s.id, name)
		}
	}
	if config.GetLinux().GetSecurityContext().GetNamespaceOptions().GetNetwork() != criapi.NamespaceMode_NODE {
		s.ip = r.network.raise()
		r.options.Journal.Name(s.ip.String(), pod+"/address")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sandboxes[s.id] = s
	return s.id, nil
}

// stopSandbox may be repeated; an unknown sandbox is no error (sandbox_stop.go, StopPodSandbox and stopPodSandbox).
func (r *Runtime) stopSandbox(ctx context.Context, id string) error {
	s, err := r.sandbox(id)
	if err != nil {
		return nil
	}
	for _, c := range r.containersOf(id) {
		if err := r.stop(ctx, c, 0); err != nil {
			return fmt.Errorf("failed to stop container %q: %w", c.id, err)
		}
	}
	if s.state() == criapi.PodSandboxState_SANDBOX_READY {
		if !play.Sleep(ctx, sandboxStop) {
			return fmt.Errorf("failed to stop sandbox %q: %w", id, ctx.Err())
		}
		r.endSandbox(s)
	}
	r.network.lower(s.ip)
	return nil
}

// removeSandbox is RemovePodSandbox (sandbox_remove.go).
func (r *Runtime) removeSandbox(ctx context.Context, id string) error {
	if _, err := r.sandbox(id); err != nil {
		return nil
	}
	if err := r.stopSandbox(ctx, id); err != nil {
		return fmt.Errorf("failed to forcibly stop sandbox %q: %w", id, err)
	}
	for _, c := range r.containersOf(id) {
		if err := r.removeContainer(ctx, c.id); err != nil {
			return fmt.Errorf("failed to remove container %q: %w", c.id, err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.sandboxes, id)
	return nil
}

// status is toCRISandboxStatus (sandbox_status.go).
func (s *sandbox) status() *criapi.PodSandboxStatus {
	network := &criapi.PodSandboxNetworkStatus{}
	if s.ip.IsValid() {
		network.Ip = s.ip.String()
	}
	return &criapi.PodSandboxStatus{
		Id:        s.id,
		Metadata:  s.config.GetMetadata(),
		State:     s.state(),
		CreatedAt: s.createdAt.UnixNano(),
		Network:   network,
		Linux: &criapi.LinuxPodSandboxStatus{Namespaces: &criapi.Namespace{
			Options: s.config.GetLinux().GetSecurityContext().GetNamespaceOptions(),
		}},
		Labels:         s.config.GetLabels(),
		Annotations:    s.config.GetAnnotations(),
		RuntimeHandler: s.handler,
	}
}

// listed is toCRISandbox (sandbox_list.go).
func (s *sandbox) listed() *criapi.PodSandbox {
	return &criapi.PodSandbox{
		Id:             s.id,
		Metadata:       s.config.GetMetadata(),
		State:          s.state(),
		CreatedAt:      s.createdAt.UnixNano(),
		Labels:         s.config.GetLabels(),
		Annotations:    s.config.GetAnnotations(),
		RuntimeHandler: s.handler,
	}
}

func (r *Runtime) listSandboxes(filter *criapi.PodSandboxFilter) []*criapi.PodSandbox {
	var listed []*criapi.PodSandbox
	for _, s := range r.allSandboxes() {
		l := s.listed()
		if matches(filter.GetId(), l.Id) && (filter.GetState() == nil || filter.GetState().GetState() == l.State) &&
			selects(filter.GetLabelSelector(), l.Labels) {
			listed = append(listed, l)
		}
	}
	return listed
}

func matches(wanted, got string) bool { return wanted == "" || wanted == got }

func selects(selector, labels map[string]string) bool {
	for key, value := range selector {
		if got, has := labels[key]; !has || got != value {
			return false
		}
	}
	return true
}
