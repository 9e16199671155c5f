package soak

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
)

// singleKill draws a container that is killed in a pod that lives on: its postStart hook fails, or its
// image is changed.
func singleKill(d *draws) trial.Trial {
	spec := d.grace()
	w := d.way(trial.Main, spec)
	g := seen(spec)
	_, dies := w.dies(g)
	if d.oneIn(2, "image") {
		d.is("cause spec change")
		t := trial.Trial{
			KillCause: formula.ByChange,
			Cues:      []trial.Cue{{Action: trial.SetImage, After: d.ms("changed after", 0, 9*time.Second)}},
			Pod:       fixtures.Pod(spec, w.container()),
			Claims:    slices.Concat(w.signs(1, trial.Cued, &formula.ChangeKills, g), w.end(1, g), w.code(g)),
		}
		t.Claims = append(t.Claims,
			trial.Claim{Measure: trial.Between(trial.Gone, trial.Started.Life(2)), Formula: formula.RestartDelay})
		t.Lasts = t.Cues[0].After + dies + 10*time.Second
		return t
	}
	d.is("cause postStart")
	took, lives := d.anyMS("postStart takes", 0, 5*time.Second), 1+d.number("lives", 0, 3)
	w.options = append(w.options,
		fixtures.ExecPostStart(victim.Hook{Sleep: took, ExitCode: d.number("postStart's exit code", 1, 100)}))
	t := trial.Trial{
		KillCause: formula.ByPostStart,
		Pod:       fixtures.Pod(spec, w.container()),
		Claims: []trial.Claim{
			{
				Measure: trial.Between(trial.PostStartEnded, trial.Event("FailedPostStartHook")),
				Formula: formula.PostStartEvent,
			},
		},
		Lasts: time.Duration(lives)*(took+dies+5*time.Second) + backOffs(lives),
	}
	for life := 1; life <= lives; life++ {
		t.Claims = slices.Concat(t.Claims, w.signs(life, trial.PostStartEnded.Life(life), &formula.PostStartKills, g),
			w.end(life, g))
		if life > 1 {
			t.Claims = append(
				t.Claims,
				trial.Claim{
					Measure: trial.Between(trial.Gone.Life(life-1), trial.Started.Life(life)),
					Formula: formula.RestartDelay,
				},
			)
		}
	}
	t.Claims = slices.Concat(t.Claims, w.code(g))
	return t
}

// deadline draws a pod whose activeDeadlineSeconds run out.
func deadline(d *draws) trial.Trial {
	d.is("cause active deadline")
	spec, after := d.grace(), int64(d.number("deadline", 2, 60))
	ways := []way{d.way(trial.Main, spec)}
	if d.oneIn(3, "second container") {
		ways = append(ways, d.way(neighbour, spec))
		d.is("two containers")
	}
	g := seen(spec)
	t := trial.Trial{KillCause: formula.ByDeadline}
	var built []corev1.Container
	for _, w := range ways {
		built = append(built, w.container())
		_, dies := w.dies(g)
		t.Lasts = max(t.Lasts, seconds(after)+dies+10*time.Second)
		t.Claims = slices.Concat(t.Claims, w.signs(1, trial.PodStartTime, &formula.DeadlineKills, g), w.end(1, g),
			w.code(g), w.failed(g))
	}
	if len(ways) == 1 {
		t.Claims = append(t.Claims,
			trial.Claim{Measure: trial.Between(trial.Gone, trial.Phase("Failed")), Formula: formula.PhaseAfterDeath})
	} else if together(ways[0], ways[1]) {
		t.Claims = append(
			t.Claims,
			trial.Claim{
				Measure: trial.Between(ways[0].firstSign(), ways[1].firstSign()),
				Formula: formula.KilledTogether,
			},
		)
	}
	t.Pod = fixtures.With(fixtures.Pod(spec, built...), fixtures.ActiveDeadline(after))
	return t
}

// collision draws a delete that comes while a probe's kill is under way: it waits.
func collision(d *draws) trial.Trial {
	spec := int64(4 + d.number("grace", 0, 40))
	k := d.killer(spec)
	k.run.Term, k.run.TermDelay, k.run.ExitCode = victim.Ignore, 0, 0
	d.is("delete during a kill")
	least, most := k.left(k.grace)
	cue := d.deleting()
	cue.When, cue.After = trial.SIGTERM, d.ms("into the kill", 0, least-margin)
	forced := deletedBy(spec, cue).forced
	t := trial.Trial{
		KillCause: k.cause,
		Needs:     needs(k.probe),
		Cues:      []trial.Cue{cue},
		Pod:       fixtures.Pod(spec, k.container()),
	}
	t.Claims = slices.Concat(k.signs(1, trial.Point{}, nil, k.grace), k.end(1, k.grace), []trial.Claim{
		{Measure: trial.DeletionGrace(1), Formula: formula.DeletionGrace, KillCause: formula.ByDelete},
		{Measure: trial.FailingProbes(k.kind, 1), Formula: formula.FailingProbes},
		{Measure: trial.Between(trial.Cued, trial.Gone), Formula: formula.KillWaits},
	})
	if forced {
		t.Claims = append(t.Claims,
			trial.Claim{Measure: trial.Between(trial.Cued, trial.ObjectDeleted), Formula: formula.ObjectForced})
	}
	t.Lasts = k.life() + most + 15*time.Second
	return t
}
