package effective

import (
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/rules/formula"
)

func TestSleepOf(t *testing.T) {
	for command, c := range map[string]struct {
		least time.Duration
		exact bool
	}{
		"sleep\t15":                                  {15 * time.Second, true},
		"/bin/sleep\t1.5m\t10":                       {100 * time.Second, true},
		"sleep\tinfinity":                            {0, false},
		"sleep":                                      {0, false},
		"sh\t-c\tsleep 15":                           {15 * time.Second, true},
		"/bin/sh\t-c\tsleep 5; sleep 10":             {15 * time.Second, true},
		"bash\t-c\tnginx -s quit; sleep 10":          {10 * time.Second, false},
		"sh\t-c\tsleep 10 && nginx -s quit":          {10 * time.Second, false},
		"sh\t-c\ttest -f /ready && sleep 10":         {0, false},
		"sh\t-c\ttest -f /ready || sleep 10":         {0, false},
		"sh\t-c\tsleep 5\nsleep 6\n":                 {11 * time.Second, true},
		"sh\t-c\tif true; then sleep 60; fi":         {0, false},
		"sh\t-c\tsleep 60 &":                         {0, false},
		"sh\t-c\tsleep $SECONDS":                     {0, false},
		"sh\t-c\tsleep 3; while x; do sleep 1; done": {3 * time.Second, false},
		"sh\t-c\texit 0; sleep 60":                   {0, false},
		"sh\t-ec\tsleep 60":                          {0, false},
		"python\t-c\tsleep 60":                       {0, false},
		"":                                           {0, false},
		"sleep\t999999d":                             {Longest, true},
		"sh\t-c\tsleep 9999d; sleep 9999d":           {Longest, true},
	} {
		words := strings.Split(command, "\t")
		if command == "" {
			words = nil
		}
		least, exact := sleepOf(words)
		NewWithT(t).Expect(least).To(Equal(c.least), command)
		NewWithT(t).Expect(exact).To(Equal(c.exact), command)
	}
}

// A hook of 30 s holds the probes of its container and of those before it, and the start of those after it.
func TestPostStartHooksHoldTheStart(t *testing.T) {
	hook := &corev1.Lifecycle{
		PostStart: &corev1.LifecycleHandler{Exec: &corev1.ExecAction{Command: []string{"sleep", "30"}}},
	}
	for name, of := range map[string]func(first, second *corev1.Container){
		"of the first":  func(first, _ *corev1.Container) { first.Lifecycle = hook },
		"of the second": func(_, second *corev1.Container) { second.Lifecycle = hook },
	} {
		g := NewWithT(t)
		p := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "a"}, {Name: "b"}}}}
		of(&p.Spec.Containers[0], &p.Spec.Containers[1])
		pod := Of(formula.Kubelet{Version: formula.NewestKnown}, p)
		a, b := pod.PostStart(pod.All()[0]), pod.PostStart(pod.All()[1])
		g.Expect(a).To(Equal(PostStart{From: 30 * time.Second, Exact: true, Containers: 2}), name)
		held := PostStart{From: 30 * time.Second, Exact: true, Containers: 1}
		if name == "of the first" {
			held = PostStart{Before: 30 * time.Second, Exact: true, Containers: 1}
		}
		g.Expect(b).To(Equal(held), name)
	}
}
