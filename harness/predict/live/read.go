// Package live reads from a cluster what predictions of its workloads need: the objects, their pods, and the nodes of
// these with the configuration of their kubelets. It only reads.
package live

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/podclock/podclock/harness/host/kubeconfig"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/predict/next"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Read reads the named objects. Without one of them it fails. What else cannot be read is in [next.Cluster.Unread]. Of
// custom resources it reads the pod templates that package manifest knows, and these.
func Read(ctx context.Context, a Access, names []Name, templates ...manifest.Template) (next.Cluster, error) {
	s, err := a.Connect()
	if err != nil {
		return next.Cluster{}, names[0].orFile(err)
	}
	r := &reader{Server: s, templates: templates}
	return r.read(ctx, names)
}

// reader collects what is read.
type reader struct {
	*Server
	templates []manifest.Template
	// around bears on the workloads: the namespace's PodDisruptionBudgets, Services and HorizontalPodAutoscalers.
	around  []runtime.Object
	once    sync.Once
	lock    sync.Mutex
	cluster next.Cluster
}

func (r *reader) read(ctx context.Context, names []Name) (next.Cluster, error) {
	r.cluster = next.Cluster{Name: r.target.Context, Nodes: map[string]next.Node{}}
	read := map[string]bool{}
	for _, n := range names {
		n, err := r.resolved(n)
		if err != nil {
			return r.cluster, n.orFile(err)
		}
		if read[n.String()] {
			return r.cluster, fmt.Errorf("%s is named twice: name it once", n)
		}
		read[n.String()] = true
		all, err := r.workloads(ctx, n)
		if err != nil {
			return r.cluster, err
		}
		r.cluster.Workloads = append(r.cluster.Workloads, all...)
	}
	version, err := kubeconfig.Version(ctx, r)
	if err != nil {
		return r.cluster, r.Explain(err, "get", "/version", "")
	}
	r.cluster.Version = formula.Release(version)
	if err := r.nodes(ctx); err != nil {
		return r.cluster, err
	}
	now, differs := r.dates.now()
	if r.cluster.Now = now; differs != "" {
		r.unread("%s", differs)
	}
	slices.Sort(r.cluster.Unread) // nodes are read at once
	r.cluster.Unread = slices.Compact(r.cluster.Unread)
	return r.cluster, nil
}

func (r *reader) unread(format string, args ...any) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.cluster.Unread = append(r.cluster.Unread, fmt.Sprintf(format, args...))
}

// workloads reads an object with its pods. A custom resource may have several pod templates, each of them a workload.
func (r *reader) workloads(ctx context.Context, n Name) ([]next.Workload, error) {
	object, err := r.get(ctx, n)
	if apierrors.IsNotFound(err) {
		return nil, r.missing(n)
	}
	if err != nil {
		return nil, r.Explain(err, "get", n.kind.right(), r.access.Namespace)
	}
	r.once.Do(func() { r.readAround(ctx) })
	decoded, err := r.decoded(n, object)
	if err != nil {
		return nil, err
	}
	all := make([]next.Workload, len(decoded))
	for i := range decoded {
		all[i].Workload = decoded[i]
		all[i].DropLines()
	}
	w := &all[0]
	switch o := object.(type) {
	case *corev1.Pod:
		w.Pods, w.Jobs = []corev1.Pod{*o}, r.jobOf(ctx, o)
		return all, nil
	case *batchv1.Job:
		w.Jobs = []batchv1.Job{*o}
	case *batchv1.CronJob:
		jobs, err := r.BatchV1().Jobs(r.access.Namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			r.unread("Not read: the Jobs and pods of %s: %v.", n,
				r.Explain(err, "list", "jobs.batch", r.access.Namespace))
			return all, nil
		}
		for _, j := range jobs.Items {
			if metav1.IsControlledBy(&j, o) {
				w.Jobs = append(w.Jobs, j)
			}
		}
	}
	pods, err := r.pods(ctx, n, object, w.Jobs)
	for _, p := range pods {
		w := &all[madeFrom(all, p)]
		w.Pods = append(w.Pods, p)
	}
	return all, err
}

// madeFrom returns the index of the first workload whose main containers a pod has, or 0.
func madeFrom(all []next.Workload, p corev1.Pod) int {
	has := func(c corev1.Container) bool {
		return slices.ContainsFunc(p.Spec.Containers, func(o corev1.Container) bool { return o.Name == c.Name })
	}
	return max(0, slices.IndexFunc(all, func(w next.Workload) bool {
		return !slices.ContainsFunc(w.Pod.Spec.Containers, func(c corev1.Container) bool { return !has(c) })
	}))
}

// readAround reads what bears on the workloads of a namespace.
func (r *reader) readAround(ctx context.Context) {
	budgets, err := r.PolicyV1().PodDisruptionBudgets(r.access.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		r.unread("Not read, so drains count as allowed by them: the PodDisruptionBudgets: %v.",
			r.Explain(err, "list", "poddisruptionbudgets.policy", r.access.Namespace))
	} else {
		for i := range budgets.Items {
			r.add(&budgets.Items[i], policyv1.SchemeGroupVersion.WithKind("PodDisruptionBudget"))
		}
	}
	services, err := r.CoreV1().Services(r.access.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		r.unread("Not read, so nothing is said of traffic: the Services: %v.",
			r.Explain(err, "list", "services", r.access.Namespace))
	} else {
		for i := range services.Items {
			r.add(&services.Items[i], corev1.SchemeGroupVersion.WithKind("Service"))
		}
	}
	scalers, err := r.AutoscalingV2().HorizontalPodAutoscalers(r.access.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		r.unread("Not read, so replicas count as fixed: the HorizontalPodAutoscalers: %v.",
			r.Explain(err, "list", "horizontalpodautoscalers.autoscaling", r.access.Namespace))
		return
	}
	for i := range scalers.Items {
		r.add(&scalers.Items[i], autoscalingv2.SchemeGroupVersion.WithKind("HorizontalPodAutoscaler"))
	}
}

// add sets the kind, which items of a list lack.
func (r *reader) add(o runtime.Object, kind schema.GroupVersionKind) {
	o.GetObjectKind().SetGroupVersionKind(kind)
	r.around = append(r.around, o)
}

// decoded reads an object, with what bears on it, as if they were a manifest.
func (r *reader) decoded(n Name, object runtime.Object) ([]predict.Workload, error) {
	object.GetObjectKind().SetGroupVersionKind(schema.FromAPIVersionAndKind(n.kind.apiVersion, n.kind.kind))
	var text bytes.Buffer
	for _, o := range append([]runtime.Object{object}, r.around...) {
		document, err := json.Marshal(o)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", n, err)
		}
		text.WriteString("---\n" + string(document) + "\n")
	}
	m, err := manifest.ReadServed(&text, n.String(), r.templates...)
	if err == nil && len(m.Objects) == 0 {
		err = fmt.Errorf("%s has no pod template that podclock knows: name its path, such as "+
			"--template-path=example.com/Widget=.spec.template, or predict the object that makes its pods", n)
	}
	return predict.Workloads(m), err
}

// jobOf returns the Job of an only pod.
func (r *reader) jobOf(ctx context.Context, pod *corev1.Pod) []batchv1.Job {
	owner := metav1.GetControllerOf(pod)
	if owner == nil || owner.Kind != "Job" {
		return nil
	}
	job, err := r.BatchV1().Jobs(pod.Namespace).Get(ctx, owner.Name, metav1.GetOptions{})
	if err != nil {
		r.unread("Not read: Job %s of pod %s: "+
			"%v.", owner.Name, pod.Name, r.Explain(err, "get", "jobs.batch", pod.Namespace))
		return nil
	}
	return []batchv1.Job{*job}
}

func (r *reader) pods(
	ctx context.Context, n Name, object runtime.Object, jobs []batchv1.Job,
) (pods []corev1.Pod, err error) {
	made, err := podsOf(object, jobs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", n, err)
	}
	all, err := r.CoreV1().Pods(r.access.Namespace).List(ctx, metav1.ListOptions{LabelSelector: made.selector.String()})
	if err != nil {
		r.unread("Not read: the pods of %s: %v.", n, r.Explain(err, "list", "pods", r.access.Namespace))
		return nil, nil
	}
	has := func(p *corev1.Pod) (bool, error) {
		owner := metav1.GetControllerOf(p)
		return owner != nil && made.is(*owner), nil
	}
	if o, custom := object.(metav1.Object); custom && n.Custom() {
		f := family{r.Server, map[types.UID]bool{o.GetUID(): true}}
		has = func(p *corev1.Pod) (bool, error) { return f.has(ctx, p) }
	}
	for _, p := range all.Items {
		is, err := has(&p)
		if err != nil {
			r.unread("Not read: whose some pods are, and perhaps some of %s: %v.", n, err)
		}
		if is {
			pods = append(pods, p)
		}
	}
	slices.SortFunc(pods, func(a, b corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return pods, nil
}

// nodes reads the nodes of all pods.
func (r *reader) nodes(ctx context.Context) error {
	var g errgroup.Group
	g.SetLimit(mostAtOnce)
	seen := map[string]bool{"": true}
	for _, w := range r.cluster.Workloads {
		placed := false
		for _, p := range w.Pods {
			name := p.Spec.NodeName
			placed = placed || name != ""
			if seen[name] {
				continue
			}
			seen[name] = true
			g.Go(func() error {
				n, err := r.node(ctx, name)
				r.lock.Lock()
				defer r.lock.Unlock()
				r.cluster.Nodes[name] = n
				return err
			})
		}
		if !placed {
			r.unread("No pod of %s %s has a node: its kubelets count as %s, as the API server, with the release's "+
				"configuration.", w.Kind, w.Name, r.cluster.Version)
		}
	}
	return g.Wait()
}

func (r *reader) node(ctx context.Context, name string) (n next.Node, err error) {
	node, err := r.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		n.Gone = true
		return n, nil
	case apierrors.IsForbidden(err):
		r.unread("Not read: the nodes: %v. Their kubelets count as %s, as the API server, and as ready.",
			r.Explain(err, "get", "nodes", ""), r.cluster.Version)
	case err != nil:
		return n, r.Explain(err, "get", "nodes", "")
	default:
		n.Version, n.Taints = formula.Release(node.Status.NodeInfo.KubeletVersion), node.Spec.Taints
		for i := range node.Status.Conditions {
			if c := &node.Status.Conditions[i]; c.Type == corev1.NodeReady {
				n.Ready = c
			}
		}
	}
	if r.access.Configured {
		return n, nil
	}
	n.Configz, err = r.configz(ctx, name)
	switch {
	case apierrors.IsForbidden(err):
		r.unread("Not read: the configuration of the kubelets: %v. They count as configured like their release.",
			r.Explain(err, "get", "nodes/proxy", ""))
	case err != nil:
		r.unread("Not read: the configuration of the kubelet of node %s: it does not answer. It counts as configured "+
			"like its release.", name)
	}
	return n, nil
}

// Node reads a node, and returns sentences about what of it could not be read.
func (s *Server) Node(ctx context.Context, name string) (next.Node, []string, error) {
	r := &reader{Server: s}
	n, err := r.node(ctx, name)
	return n, r.cluster.Unread, err
}

// configz asks a kubelet for its configuration, through the API server.
func (r *reader) configz(ctx context.Context, node string) (json.RawMessage, error) {
	text, err := r.CoreV1().RESTClient().Get().Resource("nodes").Name(node).SubResource("proxy").Suffix("configz").
		Do(ctx).Raw()
	if err != nil {
		return nil, err // the text is about the error
	}
	return text, nil
}
