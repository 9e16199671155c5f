package scenario

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
)

// singleKill draws a container that is killed while its pod lives on, because its postStart hook fails or its image
// changes.
func singleKill(d *draws) trial.Trial {
	spec := d.grace()
	w := d.way(trial.Main, spec)
	g := seen(spec)
	_, dies := w.dies(g)
	if d.oneIn(2, "image") {
		d.tag("cause spec change")
		t := trial.Trial{
			KillCause: formula.ByChange,
			Faults:    []trial.Fault{{Action: trial.SetImage, After: d.ms("changed after", 0, 9*time.Second)}},
			Pod:       fixtures.Pod(spec, w.container()),
			Claims:    slices.Concat(w.kill(1, trial.Injected, &formula.ChangeKills, g), w.code(g)),
		}
		t.Claims = append(t.Claims, between(trial.Gone, trial.Started.Life(2), formula.RestartDelay))
		t.Lasts = t.Faults[0].After + dies + 10*time.Second
		return t
	}
	d.tag("cause postStart")
	took, lives := d.anyMS("postStart takes", 0, 5*time.Second), 1+d.number("lives", 0, 3)
	w.options = append(w.options,
		fixtures.ExecPostStart(victim.Hook{Sleep: took, ExitCode: d.number("postStart's exit code", 1, 100)}))
	t := trial.Trial{
		KillCause: formula.ByPostStart,
		Pod:       fixtures.Pod(spec, w.container()),
		Claims: []trial.Claim{
			between(trial.PostStartEnded, trial.Event("FailedPostStartHook"), formula.PostStartEvent),
		},
		Lasts: time.Duration(lives)*(took+dies+5*time.Second) + backOffs(lives),
	}
	for life := 1; life <= lives; life++ {
		t.Claims = slices.Concat(t.Claims, w.kill(life, trial.PostStartEnded.Life(life), &formula.PostStartKills, g))
		if life > 1 {
			t.Claims = append(t.Claims, claim(restartOf(life), formula.RestartDelay))
		}
	}
	t.Claims = slices.Concat(t.Claims, w.code(g))
	return t
}

// deadline draws a pod that exceeds its activeDeadlineSeconds.
func deadline(d *draws) trial.Trial {
	d.tag("cause active deadline")
	spec, after := d.grace(), int64(d.number("deadline", 2, 60))
	ways := []way{d.way(trial.Main, spec)}
	if d.oneIn(3, "second container") {
		ways = append(ways, d.way(neighbour, spec))
		d.tag("two containers")
	}
	g := seen(spec)
	t := trial.Trial{KillCause: formula.ByDeadline}
	var built []corev1.Container
	for _, w := range ways {
		built = append(built, w.container())
		_, dies := w.dies(g)
		t.Lasts = max(t.Lasts, seconds(after)+dies+10*time.Second)
		t.Claims = slices.Concat(t.Claims, w.kill(1, trial.PodStartTime, &formula.DeadlineKills, g),
			w.code(g), w.failed(g))
	}
	if len(ways) == 1 {
		t.Claims = append(t.Claims, between(trial.Gone, trial.Phase("Failed"), formula.PhaseAfterDeath))
	} else if together(ways[0], ways[1]) {
		t.Claims = append(t.Claims, between(ways[0].firstSign(), ways[1].firstSign(), formula.KilledTogether))
	}
	t.Pod = fixtures.With(fixtures.Pod(spec, built...), fixtures.ActiveDeadline(after))
	return t
}
