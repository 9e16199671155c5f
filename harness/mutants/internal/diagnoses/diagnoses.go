// Package diagnoses knows which diagnoses of a mutation are right.
package diagnoses

import (
	"github.com/podclock/podclock/harness/measure/judge"
	"github.com/podclock/podclock/harness/rules/formula"
)

// right are the known mistakes that say what a mutation does, by its name. A mutation with a report has those with the
// same report, too, and one that does as documented has that.
var right = map[string][]formula.Mistake{
	"backoff-always-over":               {formula.NoBackOff},
	"backoff-comparison-turned":         {formula.NoBackOff},
	"backoff-error-lost":                {formula.PollsBackOff, neighbour(formula.RequeueAtExpiry)},
	"backoff-kept-by-new-image":         {formula.KeepsBackOff},
	"backoff-never-collected":           {formula.NeverForgotten},
	"backoff-not-asked":                 {formula.NoBackOff},
	"backoff-not-grown":                 {formula.AlwaysForgotten},
	"backoff-of-running":                {formula.NoBackOff},
	"backoff-skipped-at-times":          {formula.NoBackOff},
	"backoff-update-lost":               {formula.NoBackOff}, // what was never updated has expired
	"collection-leaves-none":            {formula.NoBackOff},
	"config-error-backs-off":            {formula.ConfigErrorBacksOff},
	"created-not-collected":             {formula.KeepsCollected},
	"critical-pods-evicted":             {formula.CriticalEvicted},
	"delay-in-milliseconds":             {formula.DelayIgnored},
	"delete-cuts-kill":                  {formula.DeleteNotWaiting},
	"delete-grace-ignored":              {formula.SpecGrace},
	"disruption-condition-forgotten":    {neighbour(formula.DisruptionConditions)},
	"end-never-told":                    {formula.StuckOrder},
	"evicted-without-condition":         {neighbour(formula.DisruptionConditions)},
	"eviction-grace-at-times":           {formula.PodGraceOnEviction},
	"eviction-grace-ignored":            {formula.PodGraceOnEviction},
	"exec-never-times-out":              {formula.ExecTimeoutLost},
	"exec-timeout-is-error":             {formula.ExecTimeoutLost},
	"exec-timeout-is-success":           {formula.ExecTimeoutLost},
	"exec-timeout-not-passed":           {formula.ExecTimeoutLost},
	"failed-sync-at-resync":             {formula.TriedAtResync},
	"failed-while-dying":                {formula.FailedWhileDying},
	"failed-while-dying-at-times":       {formula.FailedWhileDying},
	"first-probe-at-random":             {formula.FirstTickAtRandom},
	"first-restart-backed-off":          {formula.FirstBackedOff},
	"force-delete-without-hook":         {formula.HookNotRun},
	"force-takes-spec-grace":            {formula.SpecGrace},
	"grace-not-passed-on":               {formula.SpecGrace, formula.PodGraceOnEviction},
	"hard-eviction-as-soft":             {formula.SoftMaximumOnHard},
	"hook-needs-two-seconds":            {formula.HookNotRun},
	"hook-not-subtracted":               {formula.FullGraceAgain},
	"hook-seconds-rounded-up":           {formula.HookRoundedUp},
	"hook-skipped-at-times":             {formula.HookNotRun},
	"important-pods-first":              {formula.RankedOtherwise},
	"kill-wait-not-longer":              {formula.WaitsOneGrace},
	"kill-wait-one-second":              {formula.WaitsWithoutMinimum},
	"later-lives-without-delay":         {formula.DelayIgnored},
	"liveness-grace-from-pod":           {formula.PodGraceOnProbe},
	"liveness-kill-without-reason":      {formula.PodGraceOnProbe},
	"mirror-delete-kills":               {formula.MirrorDeleteKills},
	"mirror-gone-before-its-pod":        {formula.MirrorFirst},
	"modest-pods-first":                 {formula.RankedOtherwise},
	"neighbour-error-not-delayed":       {formula.TriedBesideBackOff},
	"no-hook-after-liveness":            {formula.HookNotRun},
	"no-hook-after-startup":             {formula.HookNotRun},
	"no-manual-run":                     {formula.InTurn},
	"no-minimum-grace":                  {formula.NoMinimum},
	"override-ignored":                  {formula.SpecGrace, formula.PodGraceOnEviction},
	"own-stop-signal-ignored":           {formula.ImageSignals},
	"pods-unranked":                     {formula.RankedOtherwise},
	"preemptor-first":                   {formula.PreemptorFirst},
	"pressure-ends-at-once":             {formula.NoTransition},
	"priority-before-requests":          {formula.RankedOtherwise},
	"probe-grace-lost-at-times":         {formula.PodGraceOnProbe},
	"probed-while-terminating":          {formula.GoesOnWhileTerminating, neighbour(formula.SidecarProbesStop)},
	"relist-not-requested":              {alwaysLate("relist of the pod, sync and status")},
	"requeue-jitter-full":               {alwaysLate(jitterOfNextSync)},
	"requeue-not-capped":                {formula.LooksWithoutBound},
	"requeue-without-expiry":            {formula.PollsBackOff, neighbour(formula.RequeueAtExpiry)},
	"requeue-without-jitter":            {{Name: "one step is always early: " + jitterOfNextSync}},
	"resultrun-ends-with-life":          {formula.ForgetsSuccesses},
	"resultrun-kept":                    {formula.NeverReset},
	"resultrun-one":                     {formula.ResultRunOne},
	"second-budget-ignored":             {formula.SecondBudgetIgnored},
	"second-delete-obeyed":              {formula.ShorteningObeyed},
	"shutdown-admits":                   {formula.AdmitsInShutdown},
	"shutdown-groups-at-once":           {formula.GroupsAtOnce},
	"shutdown-takes-pod-grace":          {formula.PodGraceOnShutdown},
	"sidecar-kill-without-reason":       {formula.PodGraceOnProbe},
	"sidecar-layer-unlimited":           {neighbour(formula.SidecarLayerLimits)},
	"sidecar-order-at-times":            {formula.NoOrder},
	"sidecar-wait-forgotten-at-the-end": {formula.WholeGraceForSidecar},
	"sidecar-wait-not-subtracted":       {formula.WholeGraceForSidecar},
	"sidecar-with-the-mains":            {formula.NoOrder},
	"sidecars-together":                 {formula.NoOrderAmongSidecars},
	"sleep-hook-in-milliseconds":        {formula.SleepNotSlept},
	"smallest-pod-first":                {formula.RankedOtherwise},
	"soft-grace-ignored":                {formula.SoftGraceIgnored},
	"soft-maximum-alone":                {formula.LengthenedBySoftMaximum},
	"soft-maximum-lengthens":            {formula.LengthenedBySoftMaximum},
	"startup-count-kept":                {formula.NeverReset},
	"startup-grace-from-pod":            {formula.PodGraceOnProbe},
	"startup-never-on-hold":             {formula.StartupGoesOn},
	"startup-probed-again":              {formula.StartupGoesOn, neighbour(formula.StartupHolds)},
	"startup-worker-ends":               {formula.StartupWorkerEnds},
	"stop-ignored":                      {formula.GoesOnWhileTerminating},
	"stopped-main-waited-for":           {formula.StuckOrder},
	"stopped-sidecar-waited-for":        {formula.StuckOrder, neighbour(formula.StoppedNotWaitedFor)},
	"sync-by-default-every-ten-seconds": {{Name: judge.OwnDefaults}},
	"toleration-begins-again":           {formula.TaintBeginsAgain(0)},
	"toleration-ignored":                {formula.TolerationIgnored},
	"toleration-milliseconds":           {formula.TolerationIgnored},
	"worker-ends-with-life":             {formula.ForgetsSuccesses},
}

const jitterOfNextSync = "jitter of the next sync, up to half of what is left or of the sync frequency"

// alwaysLate is the diagnosis of package sample for a step that is always late.
func alwaysLate(step string) formula.Mistake {
	return formula.Mistake{Name: "one step is always late: " + step}
}

// neighbour is the diagnosis of a kubelet that lacks a change of its release, or has one that no release has.
func neighbour(c formula.Change) formula.Mistake {
	_, says := formula.Kubelet{Version: formula.NewestKnown}.Neighbour(c)
	return formula.Mistake{Name: says}
}

// Of returns the names of a mutation's right diagnoses.
func Of(name string) (names []string) {
	for _, r := range right[name] {
		names = append(names, r.Name)
	}
	return names
}
