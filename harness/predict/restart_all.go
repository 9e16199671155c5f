package predict

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
)

// restartsAll predicts what rules with the action RestartAllContainers do to this container: one timeline for each
// container that has such a rule.
func (p predictor) restartsAll() (all []*draft) {
	for _, source := range p.containers() {
		codes := codesRestartingAll(source.Container)
		if codes == "" {
			continue
		}
		t := trigger{
			id: slug("restart-all-by", source.Name), cause: formula.ByRestartAll, kill: formula.ByRestartAll,
			variant: By(source.Name),
			end:     fmt.Sprintf("end of container %s with %s", source.Name, codes),
		}
		t.begins = "the " + t.end
		killed := source.killedWithIt()
		turn := slices.IndexFunc(killed, func(c predictor) bool { return c.Name == p.Name })
		switch {
		case source.Name == p.Name:
			all = append(all, p.kills(t, func(d *draft) {
				d.Assumes.Description = "of every container that runs: " + d.Assumes.Description
				d.step(lifecycle.KillBegan, "the kubelet kills what runs of the pod, and removes all its containers", 1,
					reason{after: lifecycle.Fault, rule: &formula.RestartAllKills})
				p.startsWithAll(d, t, lifecycle.KillBegan, killed)
			})...)
		case turn >= 0:
			all = append(all, p.kills(t, func(d *draft) {
				p.killedForAll(d, t, killed[:turn])
				p.startsWithAll(d, t, lifecycle.Gone, killed[turn+1:])
			})...)
		}
	}
	return all
}

// By returns the variant of timelines in which a container restarts all.
func By(container string) string { return "by " + container }

// killedForAll draws the kill of a container, after those of others. It has no grace period.
func (p predictor) killedForAll(d *draft, t trigger, before []predictor) {
	begins := reason{after: lifecycle.Fault, rule: &formula.RestartAllKills}
	if len(before) == 0 {
		d.kill(1, begins)
		return
	}
	d.step(lifecycle.KillBegan, "the first container is killed", 1, begins)
	d.within(lifecycle.SIGTERM, "SIGTERM: its turn", 1, lifecycle.KillBegan, "kills before it, one after another",
		kills(d, t, before))
	d.counts(1)
	d.death(1)
}

// startsWithAll draws the pod's start after the kills of further containers. What comes after the pod's first container
// depends on how long others take to start.
func (p predictor) startsWithAll(d *draft, t trigger, after string, more []predictor) {
	if len(more) > 0 {
		d.within("last-death", "all other containers are dead", 1, after, "kills after it, one after another",
			kills(d, t, more))
		after = "last-death"
	}
	free := reason{after: after, rule: &formula.RestartAllFree}
	if p.first() == p.Name {
		d.step(lifecycle.Started, "the container is started again, without a back-off", 2, free)
		return
	}
	d.step("first-start", fmt.Sprintf("container %s is started again, without a back-off; the others follow as in a "+
		"new pod", p.first()), 1, free)
}

// kills returns how long the kills of these containers take, one after another, if all do what the draft assumes.
func kills(d *draft, t trigger, all []predictor) (s Span) {
	for _, c := range all {
		dead := c.deadAfter(t, d.asked)
		s.Earliest, s.Latest = s.Earliest+dead.Earliest, s.Latest+dead.Latest
	}
	return s
}

// first returns the container that starts first in the pod.
func (p *podPredictor) first() string {
	if len(p.pod.Spec.InitContainers) > 0 {
		return p.pod.Spec.InitContainers[0].Name
	}
	return p.pod.Spec.Containers[0].Name
}

// killedWithIt returns the containers that run when this one ends, in the order of their kills: main containers, then
// sidecars (pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions, ContainersToReset). While an init
// container runs, these are the sidecars before it.
func (p predictor) killedWithIt() (all []predictor) {
	position := func(name string) int {
		return slices.IndexFunc(p.pod.Spec.InitContainers, func(c corev1.Container) bool { return c.Name == name })
	}
	for _, c := range p.containers() {
		early := p.Role == effective.Init && (c.Role == effective.Main || position(c.Name) > position(p.Name))
		if c.Name != p.Name && c.Role != effective.Init && !early {
			all = append(all, c)
		}
	}
	return all
}

// codesRestartingAll says for which exit codes a container restarts all, or "". The first rule that matches a code
// counts; exceptions by earlier rules are not named (pkg/api/v1/pod/util.go FindMatchingContainerRestartRule).
func codesRestartingAll(c effective.Container) string {
	var codes []string
	for _, r := range c.RestartPolicyRules {
		if r.Action != corev1.ContainerRestartRuleActionRestartAllContainers || r.ExitCodes == nil {
			continue
		}
		says := "exit code "
		if r.ExitCodes.Operator == corev1.ContainerRestartRuleOnExitCodesOpNotIn {
			says = "an exit code other than "
		}
		var values []string
		for _, v := range r.ExitCodes.Values {
			values = append(values, fmt.Sprint(v))
		}
		codes = append(codes, says+strings.Join(values, ", "))
	}
	return strings.Join(codes, ", or ")
}
