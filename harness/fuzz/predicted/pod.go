package predicted

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/predict"
)

// never is longer than every grace period.
const never = 24 * time.Hour

// facts returns what a container does by itself, and the facts of its kill.
func facts(c corev1.Container) (run victim.Run, o predict.Options, err error) {
	if run, err = victim.ParseRun(c.Args); err != nil {
		return run, o, err
	}
	exits, hook := run.TermDelay, time.Duration(0)
	if run.Term == victim.Ignore {
		exits = never
	}
	if c.Lifecycle != nil && c.Lifecycle.PreStop != nil {
		switch h := c.Lifecycle.PreStop; {
		case h.Exec != nil:
			// A hook whose binary is missing ends at once.
			if own, err := victim.ParseHook(h.Exec.Command[1:]); err == nil {
				if hook = own.Sleep; own.Hang {
					hook = never
				}
			}
		case h.HTTPGet != nil:
			if hook = run.HookSleep; run.HookHang {
				hook = never
			}
		}
	}
	return run, predict.Options{ExitsAfter: &exits, HookTakes: &hook}, nil
}

func container(pod *corev1.Pod, name string) corev1.Container {
	all := slices.Concat(pod.Spec.Containers, pod.Spec.InitContainers)
	return all[slices.IndexFunc(all, func(c corev1.Container) bool { return c.Name == name })]
}

func isInit(pod *corev1.Pod, name string) bool {
	return slices.ContainsFunc(pod.Spec.InitContainers, func(c corev1.Container) bool { return c.Name == name })
}

// unmarked reports whether a container's hook makes no marks.
func unmarked(c corev1.Container) bool {
	if c.Lifecycle == nil || c.Lifecycle.PreStop == nil {
		return false
	}
	h := c.Lifecycle.PreStop
	return h.Sleep != nil || h.Exec != nil && h.Exec.Command[0] != victim.Program
}

func containerNames(pod *corev1.Pod) (names []string) {
	for _, c := range slices.Concat(pod.Spec.Containers, pod.Spec.InitContainers) {
		names = append(names, c.Name)
	}
	return names
}
