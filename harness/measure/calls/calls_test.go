package calls

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/podclock/podclock/harness/measure/timeline"
)

const second = int64(time.Second)

func pod() *corev1.Pod {
	grace, user, group, no := int64(5), int64(65532), int64(2000), false
	address := corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "status.podIP"}}
	p := &corev1.Pod{Spec: corev1.PodSpec{
		TerminationGracePeriodSeconds: &grace,
		SecurityContext:               &corev1.PodSecurityContext{FSGroup: &group, SupplementalGroups: []int64{3000}},
		InitContainers:                []corev1.Container{{Name: "init"}},
		Containers: []corev1.Container{{
			Name: "main", Command: []string{"fault"}, Args: []string{"run"},
			Env: []corev1.EnvVar{{Name: "A", Value: "a"}, {Name: "B", Value: "of $(A)"},
				{Name: "IP", ValueFrom: &address}},
			EnvFrom:      []corev1.EnvFromSource{{Prefix: "a", SecretRef: &corev1.SecretEnvSource{}}},
			Ports:        []corev1.ContainerPort{{ContainerPort: 8080}},
			VolumeMounts: []corev1.VolumeMount{{Name: "data", MountPath: "/data"}},
			Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse("500m"), corev1.ResourceMemory: resource.MustParse("1Mi"),
			}},
			SecurityContext: &corev1.SecurityContext{
				RunAsUser: &user, AllowPrivilegeEscalation: &no,
				SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
		}},
	}}
	p.Labels = map[string]string{"app": "shop"}
	return p
}

const sandboxText = `{"metadata":{"name":"shop","uid":"u","namespace":"ns"},"hostname":"shop",
	"log_directory":"/logs/ns_shop_u","port_mappings":[{"container_port":8080}],
	"labels":{"app":"shop","io.kubernetes.pod.name":"shop","io.kubernetes.pod.namespace":"ns","io.kubernetes.pod.uid":"u"},
	"linux":{"resources":{"cpu_quota":50000,"memory_limit_in_bytes":1048576},
		"security_context":{"supplemental_groups":[2000,3000],"namespace_options":{"pid":1},"seccomp":{}}}}`

const containerText = `{"metadata":{"name":"main"},"image":{"image":"sha256:1"},"command":["fault"],"args":["run"],
	"envs":[{"Key":"A","Value":"a"},{"Key":"B","Value":"of a"},{"Key":"IP","Value":"ns/shop/address-1"},
		{"Key":"akey","Value":"value"}],
	"mounts":[{"container_path":"/data","host_path":"/pods/u/volumes/data"},
		{"container_path":"/etc/hosts","host_path":"/pods/u/etc-hosts"},
		{"container_path":"/dev/termination-log","host_path":"/pods/u/containers/main/1"}],
	"labels":{"io.kubernetes.container.name":"main","io.kubernetes.pod.name":"shop","io.kubernetes.pod.namespace":"ns",
		"io.kubernetes.pod.uid":"u"},
	"annotations":{"io.kubernetes.container.restartCount":"0","io.kubernetes.pod.terminationGracePeriod":"5",
		"io.kubernetes.container.terminationMessagePath":"/dev/termination-log",
		"io.kubernetes.container.terminationMessagePolicy":"File","io.kubernetes.container.ports":"[]"},
	"log_path":"main/0.log","linux":{
		"resources":{"cpu_shares":512,"cpu_quota":50000,"memory_limit_in_bytes":1048576},
		"security_context":{"supplemental_groups":[2000,3000],"run_as_user":{"value":65532},"no_new_privs":true,"namespace_options":{"pid":1},"seccomp":{}}}}`

// story are calls that a kubelet may make: the container dies four times, then the pod is deleted.
func story() []timeline.Call {
	calls := []timeline.Call{{What: "RunPodSandbox", Argument: json.RawMessage(sandboxText)}}
	again := strings.NewReplacer(`{"name":"main"}`, `{"name":"main","attempt":N}`, `restartCount":"0"`,
		`restartCount":"N"`, "main/0.log", "main/N.log")
	for n := range 5 {
		text := containerText
		if n > 0 {
			text = strings.ReplaceAll(again.Replace(containerText), "N", fmt.Sprint(n))
		}
		instance := fmt.Sprintf("main-%d", n+1)
		calls = append(calls,
			timeline.Call{What: "CreateContainer", Container: "main", Instance: "sandbox-1",
				Argument: json.RawMessage(text)},
			timeline.Call{What: "StartContainer", Container: "main", Instance: instance})
		if n > 0 {
			calls = append(calls, timeline.Call{
				What: "RemoveContainer", Container: "main", Instance: fmt.Sprintf("main-%d", n),
			})
		}
	}
	calls = append(calls,
		timeline.Call{What: "patch pods/status"},
		timeline.Call{What: "StopContainer", Container: "main", Instance: "main-5", Argument: json.RawMessage("5")},
		timeline.Call{What: "StopPodSandbox", Instance: "sandbox-1"},
		timeline.Call{What: "RemoveContainer", Container: "main", Instance: "main-5"},
		timeline.Call{
			What: "delete pods", Argument: json.RawMessage(`{"gracePeriodSeconds":0,"preconditions":{"uid":"u"}}`),
		})
	for i := range calls {
		calls[i].At = int64(i) * 10 * second
	}
	return calls
}

// at returns the number-th call of a kind.
func at(calls []timeline.Call, what string, number int) *timeline.Call {
	for i := range calls {
		if calls[i].What == what {
			if number--; number == 0 {
				return &calls[i]
			}
		}
	}
	panic(what)
}

func checked(p Pod, calls []timeline.Call) timeline.Checked {
	all := timeline.NewChecked()
	Check(all, p, calls)
	return all
}

// versions are those of the story: one for its write, one for the delete.
func versions(calls []timeline.Call) []timeline.Version {
	return []timeline.Version{
		{At: timeline.Instant{At: at(calls, "patch pods/status", 1).At + 1}},
		{At: timeline.Instant{At: at(calls, "StopContainer", 1).At}, DeletionTimestamp: 1},
	}
}

func TestAnOrdinaryPod(t *testing.T) {
	g := NewWithT(t)
	calls := story()
	all := checked(Pod{Pod: pod(), Lives: func(string, int64) bool { return false }, Versions: versions(calls)}, calls)
	g.Expect(all.Wrong).To(BeEmpty())
	g.Expect(all.Count).To(Equal(map[timeline.Report]int{Sandboxes: 1, Containers: 5, Limits: 5, Orders: len(calls),
		Writes: 2}))
}

// Each of these is one fault in the ordinary pod's calls.
func TestSingleFaults(t *testing.T) {
	config := func(what, was, is string) func([]timeline.Call) []timeline.Call {
		return func(calls []timeline.Call) []timeline.Call {
			c := at(calls, what, 1)
			text := strings.Replace(string(c.Argument), was, is, 1)
			if text == string(c.Argument) {
				panic("nothing is replaced: " + was)
			}
			c.Argument = json.RawMessage(text)
			return calls
		}
	}
	without := func(what string, number int) func([]timeline.Call) []timeline.Call {
		return func(calls []timeline.Call) []timeline.Call {
			at(calls, what, number).What = "nothing"
			return calls
		}
	}
	const run, create = "RunPodSandbox", "CreateContainer"
	for name, c := range map[string]struct {
		change func([]timeline.Call) []timeline.Call
		kind   timeline.Report
		why    string
	}{
		"unreadable":     {config(run, "{", "["), Sandboxes, "can't be read"},
		"hostname":       {config(run, `"hostname":"shop"`, `"hostname":""`), Sandboxes, "the hostname is , expected shop"},
		"logs":           {config(run, "ns_shop_u", "ns_shop"), Sandboxes, "for its logs"},
		"pod label":      {config(run, `"app":"shop"`, `"app":""`), Sandboxes, "the label app"},
		"own label":      {config(run, `pod.name":"shop"`, `pod.name":"x"`), Sandboxes, "the pod's name among the labels"},
		"no uid":         {config(run, `"uid":"u"`, `"uid":""`), Sandboxes, "no uid"},
		"ports":          {config(run, "8080", "80"), Sandboxes, "mapped ports"},
		"network":        {config(run, `"pid":1`, `"pid":1,"network":2`), Sandboxes, "the network of the sandbox"},
		"processes":      {config(run, `"pid":1`, `"pid":0`), Sandboxes, "the processes of the sandbox"},
		"no sandbox":     {without(run, 1), Containers, "without a sandbox"},
		"of another":     {config(create, `"name":"main"`, `"name":"x"`), Containers, `no container "x"`},
		"name label":     {config(create, `container.name":"main"`, `container.name":""`), Containers, "the name label"},
		"restart count":  {config(create, `Count":"0"`, `Count":"1"`), Containers, "restartCount of container main is 1"},
		"grace":          {config(create, `Period":"5"`, `Period":"30"`), Containers, "terminationGracePeriod"},
		"message":        {config(create, `"File"`, `""`), Containers, "terminationMessagePolicy"},
		"hook":           {config(create, `"log_path"`, `"annotations":{"io.kubernetes.container.preStopHandler":"{}"},"log_path"`), Containers, "preStop"},
		"ports noted":    {config(create, `container.ports":"[]"`, `container.ports":""`), Containers, "whether the ports"},
		"log":            {config(create, "main/0.log", "main/1.log"), Containers, "the log of container main"},
		"command":        {config(create, `["fault"]`, `[]`), Containers, "the command"},
		"arguments":      {config(create, `["run"]`, `["run","run"]`), Containers, "arguments"},
		"image":          {config(create, "sha256:1", ""), Containers, "no image"},
		"variable":       {config(create, `"Key":"A"`, `"Key":"C"`), Containers, "variable A"},
		"value":          {config(create, `"Value":"a"`, `"Value":""`), Containers, "variable A"},
		"address":        {config(create, "ns/shop/address-1", ""), Containers, "variable IP"},
		"prefix":         {config(create, `"akey"`, `"key"`), Containers, "no variable akey"},
		"groups":         {config(create, `[2000,3000]`, `[2000]`), Containers, "the list of groups of container main"},
		"sandbox groups": {config(run, `[2000,3000]`, `[3000,2000]`), Sandboxes, "the list of groups of the sandbox"},
		"beyond memory":  {config(run, "1048576", "1048575"), Limits, "more than the sandbox's 1048575"},
		"beyond cores":   {config(run, "50000", "40000"), Limits, "cpu_quotas"},
		"mount":          {config(create, "/data", "/dat"), Containers, "no mount /data"},
		"message mount":  {config(create, `"container_path":"/dev/termination-log"`, `"container_path":""`), Containers, `the file "" for its`},
		"other message":  {config(create, "/u/containers/main/1", "/1/u/containers/main"), Containers, "for its termination message"},
		"hosts":          {config(create, "/etc/hosts", "/etc/host"), Containers, "no mount of the pod's hosts"},
		"user":           {config(create, "65532", "0"), Containers, "the user of container main"},
		"seccomp":        {config(create, `"seccomp":{}`, `"seccomp":{"profile_type":1}`), Containers, "seccomp profile"},
		"no seccomp":     {config(create, `,"seccomp":{}`, ``), Containers, "no seccomp profile"},
		"privileged":     {config(create, `"no_new_privs"`, `"privileged":true,"no_new_privs"`), Containers, "privileged is true"},
		"new privileges": {config(create, `"no_new_privs":true,`, ``), Containers, "gains no privileges"},
		"shares":         {config(create, "512", "2"), Containers, "cpu_shares 2"},
		"quota":          {config(create, "50000", "0"), Containers, "cpu_quota 0"},
		"memory":         {config(create, "1048576", "0"), Containers, "the memory limit 0, which nobody asked for"},
		"never started":  {without("StartContainer", 1), Orders, "was made and never started"},
		"never made":     {without("CreateContainer", 2), Orders, "was not made"},
		"four dead": {func(calls []timeline.Call) []timeline.Call {
			return without("RemoveContainer", 2)(without("RemoveContainer", 1)(calls))
		}, Orders, "while 3 older ones are left"},
		"newest removed": {func(calls []timeline.Call) []timeline.Call {
			at(calls, "RemoveContainer", 1).Instance = "main-2"
			return calls
		}, Orders, "main-2 is removed, but it is the newest"},
		"removed twice": {func(calls []timeline.Call) []timeline.Call {
			at(calls, "RemoveContainer", 2).Instance = "main-1"
			return calls
		}, Orders, "removed twice"},
		"stopped sandbox": {func(calls []timeline.Call) []timeline.Call {
			*at(calls, "RemoveContainer", 1) = timeline.Call{What: "StopPodSandbox", Instance: "sandbox-1"}
			return calls
		}, Orders, "in a sandbox that was stopped"},
		"no effect": {func(calls []timeline.Call) []timeline.Call {
			at(calls, "patch pods/status", 1).At -= 5 * second
			return calls
		}, Writes, "changes nothing"},
		"delete with grace": {config("delete pods", "0", "1"), Writes, "with a grace period"},
		"delete of any":     {config("delete pods", `{"uid":"u"}`, `{}`), Writes, "whatever its UID"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			shown := versions(story())
			all := checked(Pod{Pod: pod(), Lives: func(string, int64) bool { return false }, Versions: shown},
				c.change(story()))
			var why []string
			for _, wrong := range all.Wrong[c.kind] {
				why = append(why, wrong.Why)
			}
			g.Expect(why).To(ContainElement(ContainSubstring(c.why)))
		})
	}
}

func TestWhatRuns(t *testing.T) {
	g := NewWithT(t)
	calls := story()
	running := func(container string, _ int64) bool { return container == "main" }
	all := checked(Pod{Pod: pod(), Lives: running, Versions: versions(calls)}, calls)
	g.Expect(fmt.Sprint(all.Wrong[Orders])).To(And(ContainSubstring("the sandbox is stopped while container main runs"),
		ContainSubstring("main-5 is removed while it runs")))
	g.Expect(fmt.Sprint(all.Wrong[Orders])).NotTo(ContainSubstring("main-1"), "it has a later one, which runs")
}

// A sandbox may be stopped while a container runs that the runtime failed to stop, but no other one.
func TestWhatCannotBeStopped(t *testing.T) {
	const why = "the sandbox is stopped while container main runs"
	running := func(container string, _ int64) bool { return container == "main" }
	failed := timeline.Call{What: "StopContainer", Container: "main", Instance: "main-5", Error: "it failed"}
	stopped := timeline.Call{What: "StopContainer", Container: "main", Instance: "main-5"}
	other := timeline.Call{What: "StopContainer", Container: "other", Error: "it failed"}
	for name, c := range map[string]struct {
		calls []timeline.Call
		wrong bool
	}{
		"it failed":             {[]timeline.Call{failed}, false},
		"it failed, then ended": {[]timeline.Call{failed, stopped}, true},
		"another failed":        {[]timeline.Call{other}, true},
	} {
		calls := slices.Concat(c.calls, []timeline.Call{{What: "StopPodSandbox", Instance: "sandbox-1"}})
		all := checked(Pod{Pod: pod(), Lives: running}, calls)
		NewWithT(t).Expect(strings.Contains(fmt.Sprint(all.Wrong[Orders]), why)).To(Equal(c.wrong), name)
	}
}

func TestAContainerIsRemovedWhileAnotherRuns(t *testing.T) {
	g := NewWithT(t)
	p, calls := pod(), story()
	p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: "other"})
	running := func(container string, _ int64) bool { return container == "other" }
	all := checked(Pod{Pod: p, Lives: running, Versions: versions(calls)}, calls)
	g.Expect(fmt.Sprint(all.Wrong[Orders])).To(ContainSubstring("main-5 is removed while container other runs"))
	all = checked(Pod{Pod: p, Evicted: true, Lives: running, Versions: versions(calls)}, calls)
	g.Expect(fmt.Sprint(all.Wrong[Orders])).NotTo(ContainSubstring("is removed while container other runs"))
}

// TestResizes plays a resize of memory and CPU, and one fault in each of its calls.
func TestResizes(t *testing.T) {
	size := func(cpu, memory string) corev1.ResourceRequirements {
		return corev1.ResourceRequirements{Limits: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory),
		}}
	}
	const (
		sandboxMemory = `{"resources":{"cpu_quota":50000,"memory_limit_in_bytes":2097152}}`
		memory        = `{"linux":{"cpu_shares":512,"cpu_quota":50000,"memory_limit_in_bytes":2097152}}`
		sandboxCPU    = `{"resources":{"cpu_quota":100000,"memory_limit_in_bytes":2097152}}`
		cpu           = `{"linux":{"cpu_shares":1024,"cpu_quota":100000,"memory_limit_in_bytes":2097152}}`
	)
	for name, c := range map[string]struct {
		texts [4]string
		kind  timeline.Report
		why   string
	}{
		"as asked":      {[4]string{sandboxMemory, memory, sandboxCPU, cpu}, Resizes, ""},
		"at once":       {[4]string{sandboxMemory, cpu, sandboxCPU, cpu}, Resizes, "one call changes the memory and the CPU"},
		"pod again":     {[4]string{sandboxMemory, memory, sandboxMemory, ""}, Resizes, "the resources that it has"},
		"pod too late":  {[4]string{"{}", memory, sandboxCPU, cpu}, Limits, ""},
		"never":         {[4]string{sandboxMemory, memory, sandboxCPU, memory}, Resizes, "container main ends with"},
		"other memory":  {[4]string{sandboxMemory, strings.Replace(memory, "2097152", "7", 1), "", ""}, Resizes, "limit 7, which nobody"},
		"other shares":  {[4]string{sandboxMemory, strings.Replace(memory, "512", "3", 1), "", ""}, Resizes, "cpu_shares 3"},
		"pod unchanged": {[4]string{strings.Replace(sandboxMemory, "2097152", "1048576", 1), memory, "", ""}, Limits, "more than the sandbox's 1048576"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			calls := story()[:3]
			for i, text := range c.texts {
				if text != "" {
					calls = append(calls, timeline.Call{
						What:     []string{"UpdatePodSandboxResources", "UpdateContainerResources"}[i%2],
						Instance: []string{"sandbox-1", "main-1"}[i%2], Container: []string{"", "main"}[i%2],
						Argument: json.RawMessage(text),
					})
				}
			}
			shown := []timeline.Version{{Generation: 2, Status: corev1.PodStatus{ObservedGeneration: 2}}}
			all := checked(Pod{
				Pod: pod(), Lives: func(string, int64) bool { return true }, Versions: shown,
				Sizes: map[string][]corev1.ResourceRequirements{"main": {size("1", "2Mi")}},
			}, calls)
			if c.why == "" {
				g.Expect(all.Wrong).To(BeEmpty())
			} else {
				g.Expect(fmt.Sprint(all.Wrong[c.kind])).To(ContainSubstring(c.why))
			}
		})
	}
}

// The status must show the resources that were asked for.
func TestShownResources(t *testing.T) {
	size := corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1m")}}
	for shown, wrong := range map[string]bool{"1m": false, "2m": true} {
		is := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(shown)}
		version := timeline.Version{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
			Name: "main", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
			AllocatedResources: size.Requests, Resources: &corev1.ResourceRequirements{Requests: is},
		}}}}
		calls := story()[:2]
		all := checked(Pod{
			Pod: pod(), Lives: func(string, int64) bool { return false }, Versions: []timeline.Version{version},
			Sizes: map[string][]corev1.ResourceRequirements{"main": {size}},
		}, calls)
		NewWithT(t).Expect(strings.Contains(fmt.Sprint(all.Wrong[Resizes]), "the status of container main")).
			To(Equal(wrong), shown)
	}
}

func TestASecondSandbox(t *testing.T) {
	g := NewWithT(t)
	first := timeline.Call{What: "RunPodSandbox", Argument: json.RawMessage(sandboxText)}
	second := first
	second.Argument = json.RawMessage(strings.Replace(sandboxText, `"uid":"u",`, `"uid":"u","attempt":1,`, 1))
	init := []timeline.Call{
		{What: "CreateContainer", Container: "init", Instance: "sandbox-1", Argument: json.RawMessage(`{"metadata":{}}`)},
		{What: "StartContainer", Container: "init", Instance: "init-1"},
	}
	p := Pod{Pod: pod(), Lives: func(string, int64) bool { return false }}
	all := checked(p, []timeline.Call{first, init[0], init[1], second})
	g.Expect(fmt.Sprint(all.Wrong[Orders])).To(ContainSubstring("a new sandbox is made while init-1 is left"))
	removed := timeline.Call{What: "RemoveContainer", Container: "init", Instance: "init-1"}
	all = checked(p, []timeline.Call{first, init[0], init[1], removed, second})
	g.Expect(all.Wrong[Orders]).To(BeEmpty())
	all = checked(p, []timeline.Call{second, first})
	g.Expect(fmt.Sprint(all.Wrong[Sandboxes])).To(ContainSubstring("sandbox 0 of the pod follows sandbox 1"))
	all = checked(p, []timeline.Call{first, first})
	g.Expect(fmt.Sprint(all.Wrong[Sandboxes])).To(ContainSubstring("sandbox 0 of the pod follows sandbox 0"))
}
