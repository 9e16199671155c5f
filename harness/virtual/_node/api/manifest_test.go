//go:build kubelet1_37

package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	genericrequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/apps"
	_ "k8s.io/kubernetes/pkg/apis/apps/install" // the scheme's kinds, with their defaults and conversions
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	podregistry "k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/replicationcontroller"
	"sigs.k8s.io/yaml"

	"github.com/podclock/podclock/harness/predict/manifest"
)

// randomManifests is the number of random objects. Most of them are refused.
const randomManifests = 12_000

// mostShown is the number of disagreements after which the test stops.
const mostShown = 5

// podPath is the path of a pod's spec in any object.
const podPath = `spec(\.jobTemplate\.spec)?(\.template\.spec)?`

// readFields are the fields that manifests validate.
var readFields = regexp.MustCompile(
	`^(metadata\.(name|generateName|namespace)|spec(\.jobTemplate\.spec)?\.activeDeadlineSeconds|spec\.template|` +
		podPath + `\.(restartPolicy|activeDeadlineSeconds|terminationGracePeriodSeconds|tolerations.*|` +
		`priorityClassName|volumes\[\d+\]\.emptyDir.*|containers|(c|initC)ontainers\[\d+\]\.(name|image|` +
		`restartPolicy.*|resources\.limits\[ephemeral-storage\]|lifecycle.*|` +
		`(liveness|readiness|startup)Probe.*)))$`,
)

// varying are the parts of a field's path that are the same to a rule.
var varying = regexp.MustCompile(`\[\d+\]|spec\.jobTemplate\.|spec\.template\.|(liveness|readiness|startup)`)

// Package manifest and the API server's own code (decoding, defaults, dropping of disabled fields, validation) read
// the same objects. Both must refuse an object for the same fields and the same kinds of reasons, or make the same
// pod of it.
func TestManifestsAreReadAsAPIServersDo(t *testing.T) {
	seen, accepted, failed := map[string]int{}, 0, 0
	for seed := range uint64(randomManifests) {
		object := author{rand.New(rand.NewPCG(seed, 1))}.object()
		text, err := yaml.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		want, made := served(t, text)
		got, read := manifested(t, text)
		if !slices.Equal(got, want) {
			if failed++; failed > mostShown {
				t.FailNow()
			}
			t.Errorf("seed %d: podclock says %q, the API server %q of\n%s", seed, got, want, text)
			continue
		}
		for _, w := range want {
			seen[varying.ReplaceAllString(w, "")]++
		}
		if len(want) > 0 {
			continue
		}
		accepted++
		if want, got := project(&made.Spec), project(&read.Spec); !apiequality.Semantic.DeepEqual(want, got) {
			g, _ := yaml.Marshal(got)
			w, _ := yaml.Marshal(want)
			t.Fatalf("seed %d: podclock makes\n%s\nthe API server\n%s\nof\n%s", seed, g, w, text)
		}
	}
	t.Logf("%d of %d accepted; refused for %d kinds of reasons:", accepted, randomManifests, len(seen))
	for _, reason := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("%6d %s", seen[reason], reason)
	}
	g := NewWithT(t)
	g.Expect(accepted).To(BeNumerically(">", randomManifests/10))
	g.Expect(len(seen)).To(BeNumerically(">=", 40), "the random objects meet every rule")
}

// problem returns a refusal in a common form.
func problem(path, body string) string {
	kind, _, _ := strings.Cut(body, ":")
	return path + ": " + kind
}

// manifested returns podclock's sorted refusals, or its pod.
func manifested(t *testing.T, text []byte) ([]string, *corev1.Pod) {
	m, err := manifest.Read(strings.NewReader(string(text)), "")
	var invalid *manifest.Invalid
	if errors.As(err, &invalid) {
		var all []string
		for _, p := range invalid.Problems {
			if !readFields.MatchString(p.Field) {
				t.Fatalf("podclock refuses %s, which is none of the fields that it reads", p)
			}
			all = append(all, problem(p.Field, p.Wrong))
		}
		return sorted(all), nil
	}
	if err != nil || len(m.Objects) != 1 {
		t.Fatalf("%v of\n%s", err, text)
	}
	return nil, m.Objects[0].Pod
}

// served returns the API server's sorted refusals in readFields, or the pod that reaches a kubelet.
func served(t *testing.T, text []byte) ([]string, *corev1.Pod) {
	data, err := yaml.YAMLToJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	object, kind, err := legacyscheme.Codecs.UniversalDecoder().Decode(data, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	strategy, template := strategyOf(object)
	accessor := object.(metav1.Object)
	ctx := genericrequest.WithNamespace(context.Background(), metav1.NamespaceDefault)
	ctx = genericrequest.WithRequestInfo(ctx, &genericrequest.RequestInfo{
		APIGroup: kind.Group, APIVersion: kind.Version, Namespace: metav1.NamespaceDefault,
	})
	accessor.SetNamespace(metav1.NamespaceDefault) // by the request's path
	strategy.PrepareForCreate(ctx, object)
	if accessor.GetName() == "" && accessor.GetGenerateName() != "" {
		accessor.SetName(strategy.GenerateName(accessor.GetGenerateName()))
	}
	var all []string
	for _, e := range strategy.Validate(ctx, object) {
		if readFields.MatchString(e.Field) {
			all = append(all, problem(e.Field, e.ErrorBody()))
		}
	}
	if len(all) > 0 {
		return sorted(all), nil
	}
	// The pod is created from the template, and reaches the kubelet as v1.
	made, inner := &corev1.Pod{}, &core.Pod{}
	err = legacyscheme.Scheme.Convert(template, made, nil)
	legacyscheme.Scheme.Default(made)
	err = errors.Join(err, legacyscheme.Scheme.Convert(made, inner, nil), legacyscheme.Scheme.Convert(inner, made, nil))
	if err != nil {
		t.Fatal(err)
	}
	return nil, made
}

// sorted removes duplicates: the order and the number of equal refusals do not matter.
func sorted(all []string) []string {
	slices.Sort(all)
	return slices.Compact(all)
}

// strategyOf returns the API server's strategy for an object, and the pod that it makes.
func strategyOf(object runtime.Object) (rest.RESTCreateStrategy, *core.Pod) {
	of := func(t *core.PodTemplateSpec) *core.Pod {
		if t == nil {
			return &core.Pod{}
		}
		return &core.Pod{Spec: t.Spec}
	}
	switch o := object.(type) {
	case *core.Pod:
		return podregistry.Strategy, o
	case *core.ReplicationController:
		return replicationcontroller.Strategy, of(o.Spec.Template)
	case *apps.Deployment:
		return deployment.Strategy, of(&o.Spec.Template)
	case *apps.StatefulSet:
		return statefulset.Strategy, of(&o.Spec.Template)
	case *apps.DaemonSet:
		return daemonset.Strategy, of(&o.Spec.Template)
	case *apps.ReplicaSet:
		return replicaset.Strategy, of(&o.Spec.Template)
	case *batch.Job:
		return job.Strategy, of(&o.Spec.Template)
	case *batch.CronJob:
		return cronjob.Strategy, of(&o.Spec.JobTemplate.Spec.Template)
	}
	panic(fmt.Sprintf("no strategy for %T", object))
}

// project returns the fields of a pod's spec that predictions read. A lifecycle without a handler is dropped.
func project(spec *corev1.PodSpec) corev1.PodSpec {
	short := corev1.PodSpec{
		RestartPolicy:                 spec.RestartPolicy,
		TerminationGracePeriodSeconds: spec.TerminationGracePeriodSeconds,
		ActiveDeadlineSeconds:         spec.ActiveDeadlineSeconds,
		Tolerations:                   spec.Tolerations,
		PriorityClassName:             spec.PriorityClassName,
	}
	for _, v := range spec.Volumes {
		short.Volumes = append(short.Volumes, corev1.Volume{VolumeSource: corev1.VolumeSource{EmptyDir: v.EmptyDir}})
	}
	containers := func(all []corev1.Container) []corev1.Container {
		var short []corev1.Container
		for _, c := range all {
			s := corev1.Container{
				Name: c.Name, Image: c.Image, RestartPolicy: c.RestartPolicy, RestartPolicyRules: c.RestartPolicyRules,
				LivenessProbe: c.LivenessProbe, ReadinessProbe: c.ReadinessProbe, StartupProbe: c.StartupProbe,
			}
			if limit, given := c.Resources.Limits[corev1.ResourceEphemeralStorage]; given {
				s.Resources.Limits = corev1.ResourceList{corev1.ResourceEphemeralStorage: limit}
			}
			if l := c.Lifecycle; l != nil && (l.PostStart != nil || l.PreStop != nil) {
				s.Lifecycle = &corev1.Lifecycle{PostStart: l.PostStart, PreStop: l.PreStop}
			}
			short = append(short, s)
		}
		return short
	}
	short.Containers, short.InitContainers = containers(spec.Containers), containers(spec.InitContainers)
	return short
}

// author makes random objects with mostly valid fields.
type author struct{ *rand.Rand }

// now is true once in n times on average.
func (a author) now(n int) bool { return a.IntN(n) == 0 }

func one[T any](a author, values ...T) T { return values[a.IntN(len(values))] }

// mostly returns the first value, and sometimes another one.
func mostly[T any](a author, usual T, others ...T) T {
	if a.now(25) {
		return one(a, others...)
	}
	return usual
}

func (a author) object() runtime.Object {
	name := mostly(a, "web", "", "Web", "we.b", "-web", strings.Repeat("w", 53), strings.Repeat("w", 64),
		strings.Repeat("w", 254))
	meta := metav1.ObjectMeta{
		Name:         name,
		GenerateName: mostly(a, "", "web-", "Web-", strings.Repeat("w", 80)),
		Namespace:    mostly(a, "", "default"),
	}
	labels := map[string]string{"app": "web"}
	selector := &metav1.LabelSelector{MatchLabels: labels}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: a.spec()}
	if !a.now(6) {
		template.Spec.RestartPolicy = ""
	}
	jobSpec := func() batchv1.JobSpec {
		template.Spec.RestartPolicy = mostly(a, one(a, corev1.RestartPolicyNever, corev1.RestartPolicyOnFailure), "",
			"Always", "always")
		s := batchv1.JobSpec{Template: template}
		if a.now(3) {
			s.ActiveDeadlineSeconds = new(mostly(a, int64(600), 0, -1))
		}
		if a.now(4) {
			s.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{
				{
					Action:          batchv1.PodFailurePolicyActionIgnore,
					OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{{Type: "DisruptionTarget"}},
				},
			}}
		}
		return s
	}
	switch a.IntN(12) {
	case 0:
		o := &corev1.ReplicationController{
			ObjectMeta: meta,
			Spec:       corev1.ReplicationControllerSpec{Selector: labels, Template: &template},
		}
		if a.now(8) {
			o.Spec.Template = nil
		}
		return kind(o, "v1", "ReplicationController")
	case 1:
		return kind(
			&appsv1.Deployment{ObjectMeta: meta, Spec: appsv1.DeploymentSpec{Selector: selector, Template: template}},
			"apps/v1",
			"Deployment",
		)
	case 2:
		return kind(
			&appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{Selector: selector, Template: template}},
			"apps/v1",
			"StatefulSet",
		)
	case 3:
		return kind(
			&appsv1.DaemonSet{ObjectMeta: meta, Spec: appsv1.DaemonSetSpec{Selector: selector, Template: template}},
			"apps/v1",
			"DaemonSet",
		)
	case 4:
		return kind(
			&appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Selector: selector, Template: template}},
			"apps/v1",
			"ReplicaSet",
		)
	case 5:
		return kind(&batchv1.Job{ObjectMeta: meta, Spec: jobSpec()}, "batch/v1", "Job")
	case 6:
		return kind(
			&batchv1.CronJob{
				ObjectMeta: meta,
				Spec: batchv1.CronJobSpec{
					Schedule:    "* * * * *",
					JobTemplate: batchv1.JobTemplateSpec{Spec: jobSpec()},
				},
			},
			"batch/v1",
			"CronJob",
		)
	}
	return kind(&corev1.Pod{ObjectMeta: meta, Spec: a.spec()}, "v1", "Pod")
}

func kind(o runtime.Object, version, name string) runtime.Object {
	data, err := json.Marshal(map[string]string{"apiVersion": version, "kind": name})
	if err == nil {
		err = json.Unmarshal(data, o)
	}
	if err != nil {
		panic(err)
	}
	return o
}

func (a author) spec() corev1.PodSpec {
	s := corev1.PodSpec{
		RestartPolicy: mostly(a,
			one(a, "", corev1.RestartPolicyAlways, corev1.RestartPolicyNever, corev1.RestartPolicyOnFailure),
			"always"),
	}
	if a.now(2) {
		s.TerminationGracePeriodSeconds = new(one(a, int64(0), 1, 2, 10, 60, -1, -5))
	}
	if a.now(6) {
		s.ActiveDeadlineSeconds = new(mostly(a, int64(60), 0, -1, 1<<31))
	}
	s.PriorityClassName = mostly(a, "", "high", "Very High")
	for i := range one(a, 0, 0, 1, 2) {
		v := corev1.Volume{Name: fmt.Sprint("v", i)}
		if !a.now(3) {
			v.EmptyDir = &corev1.EmptyDirVolumeSource{}
			if a.now(2) {
				v.EmptyDir.SizeLimit = new(resource.MustParse(mostly(a, "1Gi", "0", "-1")))
			}
		}
		s.Volumes = append(s.Volumes, v)
	}
	for range one(a, 0, 0, 0, 1, 2) {
		t := corev1.Toleration{
			Key:      mostly(a, "example.com/gone", "", "no key"),
			Operator: mostly(a, one(a, corev1.TolerationOpExists, ""), "Equal", "Lt", "Is"),
			Value:    mostly(a, "", "yes", "no value"),
			Effect:   mostly(a, one(a, corev1.TaintEffectNoExecute, ""), "NoSchedule", "Never"),
		}
		if a.now(3) {
			t.TolerationSeconds = new(int64(a.IntN(100)))
		}
		s.Tolerations = append(s.Tolerations, t)
	}
	for range mostly(a, 1+a.IntN(2), 0) {
		s.Containers = append(s.Containers, a.container("app"))
	}
	for range one(a, 0, 0, 1, 2) {
		c := a.container("init")
		if a.now(2) {
			c.RestartPolicy = new(mostly(a, corev1.ContainerRestartPolicyAlways, "Never", "Sometimes"))
		} else if !a.now(4) {
			c.Lifecycle, c.LivenessProbe, c.ReadinessProbe, c.StartupProbe = nil, nil, nil, nil
		}
		s.InitContainers = append(s.InitContainers, c)
	}
	return s
}

func (a author) container(name string) corev1.Container {
	c := corev1.Container{
		Name:  mostly(a, fmt.Sprintf("%s-%d", name, a.IntN(30)), "", "app", "App", strings.Repeat("a", 64), "a.b"),
		Image: mostly(a, "registry/app:1", ""),
	}
	if a.now(5) {
		c.Resources.Limits = corev1.ResourceList{
			corev1.ResourceEphemeralStorage: resource.MustParse(mostly(a, "1Gi", "0", "-1")),
		}
	}
	for _, p := range []**corev1.Probe{&c.LivenessProbe, &c.ReadinessProbe, &c.StartupProbe} {
		if a.now(4) {
			*p = a.probe()
		}
	}
	if a.now(3) {
		c.Lifecycle = &corev1.Lifecycle{PostStart: a.hook(), PreStop: a.hook()}
		if a.now(6) {
			c.Lifecycle.StopSignal = new(corev1.Signal("SIGUSR1"))
		}
	}
	if a.now(10) {
		c.RestartPolicy = new(mostly(a, corev1.ContainerRestartPolicyNever, "OnFailure", "Sometimes", "Always"))
	}
	if a.now(10) {
		for range one(a, 1, 2, 21) {
			r := corev1.ContainerRestartRule{
				Action: mostly(
					a,
					one(a, corev1.ContainerRestartRuleActionRestart,
						corev1.ContainerRestartRuleActionRestartAllContainers),
					"Stop",
				),
			}
			if !a.now(20) {
				r.ExitCodes = &corev1.ContainerRestartRuleOnExitCodes{
					Operator: mostly(
						a,
						one(a, corev1.ContainerRestartRuleOnExitCodesOpIn,
							corev1.ContainerRestartRuleOnExitCodesOpNotIn),
						"Equals",
					),
					Values: make([]int32, mostly(a, 1, 0, 255, 256)),
				}
			}
			c.RestartPolicyRules = append(c.RestartPolicyRules, r)
		}
	}
	return c
}

func (a author) probe() *corev1.Probe {
	n := func() int32 { return mostly(a, one(a, int32(0), 1, 3, 30), -1) }
	p := &corev1.Probe{
		InitialDelaySeconds: n(),
		TimeoutSeconds:      n(),
		PeriodSeconds:       n(),
		FailureThreshold:    n(),
		SuccessThreshold:    mostly(a, one(a, int32(0), 1), 2, -1),
	}
	if a.now(5) {
		p.TerminationGracePeriodSeconds = new(mostly(a, int64(5), 0, -1))
	}
	p.Exec, p.HTTPGet, p.TCPSocket, _ = a.handlers()
	if p.Exec == nil && p.HTTPGet == nil && p.TCPSocket == nil && !a.now(10) || a.now(15) {
		p.GRPC = &corev1.GRPCAction{Port: mostly(a, int32(8080), 0, 70000)}
		if a.now(2) {
			p.GRPC.Service = new("service")
		}
	}
	return p
}

func (a author) hook() *corev1.LifecycleHandler {
	if a.now(2) {
		return nil
	}
	h := &corev1.LifecycleHandler{}
	h.Exec, h.HTTPGet, h.TCPSocket, h.Sleep = a.handlers()
	return h
}

// handlers makes one handler, sometimes none or two.
func (a author) handlers() (exec *corev1.ExecAction, http *corev1.HTTPGetAction, tcp *corev1.TCPSocketAction,
	sleep *corev1.SleepAction) {
	for range mostly(a, 1, 0, 2) {
		switch a.IntN(4) {
		case 0:
			exec = &corev1.ExecAction{Command: mostly(a, []string{"true"}, nil)}
		case 1:
			http = &corev1.HTTPGetAction{
				Path:   one(a, "", "/healthz"),
				Scheme: mostly(a, one(a, "", corev1.URISchemeHTTP, corev1.URISchemeHTTPS), "http", "FTP"),
			}
			http.Port.Type, http.Port.IntVal, http.Port.StrVal = 0, mostly(a, int32(80), 0, 65536), ""
			if a.now(4) {
				http.Port.Type, http.Port.IntVal, http.Port.StrVal = 1, 0, mostly(a, "web", "", "a--b",
					"port-with-a-long-name", "80")
			}
			if a.now(4) {
				http.HTTPHeaders = []corev1.HTTPHeader{{Name: mostly(a, "Host", "", "no header"), Value: "v"}}
			}
		case 2:
			tcp = &corev1.TCPSocketAction{}
			tcp.Port.IntVal = mostly(a, int32(80), 0, -1)
		default:
			sleep = &corev1.SleepAction{Seconds: mostly(a, one(a, int64(0), 1, 10), -1, 31)}
		}
	}
	return exec, http, tcp, sleep
}
