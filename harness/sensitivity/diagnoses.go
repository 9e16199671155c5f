package sensitivity

import "github.com/podclock/podclock/harness/formula"

// rightDiagnoses are the rivals that say what a mutation does, by its name. A mutation with a report has those with the
// same report, too, and one that does as documented has that.
var rightDiagnoses = map[string][]formula.Rival{
	"backoff-always-over":               {formula.NoBackOff},
	"backoff-error-lost":                {formula.PollsBackOff},
	"backoff-kept-by-new-image":         {formula.KeepsBackOff},
	"backoff-never-collected":           {formula.NeverForgotten},
	"backoff-not-asked":                 {formula.NoBackOff},
	"backoff-not-grown":                 {formula.AlwaysForgotten},
	"backoff-of-running":                {formula.NoBackOff},
	"backoff-update-lost":               {formula.AlwaysForgotten},
	"created-not-collected":             {formula.KeepsCollected},
	"delay-in-milliseconds":             {formula.DelayIgnored},
	"delete-cuts-kill":                  {formula.DeleteNotWaiting},
	"delete-grace-ignored":              {formula.SpecGrace},
	"eviction-grace-at-times":           {formula.PodGraceOnEviction},
	"eviction-grace-ignored":            {formula.PodGraceOnEviction},
	"exec-never-times-out":              {formula.ExecTimeoutLost},
	"exec-timeout-is-error":             {formula.ExecTimeoutLost},
	"exec-timeout-is-success":           {formula.ExecTimeoutLost},
	"exec-timeout-not-passed":           {formula.ExecTimeoutLost},
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
	"liveness-grace-from-pod":           {formula.PodGraceOnProbe},
	"liveness-kill-without-reason":      {formula.PodGraceOnProbe},
	"modest-pods-first":                 {formula.RankedOtherwise},
	"no-hook-after-liveness":            {formula.HookNotRun},
	"no-hook-after-startup":             {formula.HookNotRun},
	"no-minimum-grace":                  {formula.NoMinimum},
	"override-ignored":                  {formula.SpecGrace, formula.PodGraceOnEviction},
	"pods-unranked":                     {formula.RankedOtherwise},
	"preemptor-first":                   {formula.PreemptorFirst},
	"pressure-ends-at-once":             {formula.NoTransition},
	"priority-before-requests":          {formula.RankedOtherwise},
	"probe-grace-lost-at-times":         {formula.PodGraceOnProbe},
	"probed-while-terminating":          {formula.GoesOnWhileTerminating},
	"relist-not-requested":              {alwaysLate("relist of the pod, sync and status")},
	"requeue-jitter-full":               {alwaysLate(jitterOfNextSync)},
	"requeue-not-capped":                {formula.LooksWithoutBound},
	"requeue-without-expiry":            {formula.PollsBackOff},
	"requeue-without-jitter":            {{Name: "one step is always early: " + jitterOfNextSync}},
	"resultrun-ends-with-life":          {formula.ForgetsSuccesses},
	"resultrun-kept":                    {formula.NeverReset},
	"resultrun-one":                     {formula.ResultRunOne},
	"second-delete-obeyed":              {formula.ShorteningObeyed},
	"sidecar-kill-without-reason":       {formula.PodGraceOnProbe},
	"sidecar-wait-forgotten-at-the-end": {formula.WholeGraceForSidecar},
	"sidecar-wait-not-subtracted":       {formula.WholeGraceForSidecar},
	"sidecar-with-the-mains":            {formula.NoOrder},
	"sidecars-together":                 {formula.NoOrderAmongSidecars},
	"sleep-hook-in-milliseconds":        {formula.SleepNotSlept},
	"soft-grace-ignored":                {formula.SoftGraceIgnored},
	"soft-maximum-alone":                {formula.LengthenedBySoftMaximum},
	"soft-maximum-lengthens":            {formula.LengthenedBySoftMaximum},
	"startup-count-kept":                {formula.NeverReset},
	"startup-grace-from-pod":            {formula.PodGraceOnProbe},
	"startup-never-on-hold":             {formula.StartupGoesOn},
	"startup-probed-again":              {formula.StartupGoesOn},
	"startup-worker-ends":               {formula.StartupWorkerEnds},
	"stop-ignored":                      {formula.GoesOnWhileTerminating},
	"stopped-main-waited-for":           {formula.StuckOrder},
	"stopped-sidecar-waited-for":        {formula.StuckOrder},
	"toleration-ignored":                {formula.TolerationIgnored},
	"toleration-milliseconds":           {formula.TolerationIgnored},
	"worker-ends-with-life":             {formula.ForgetsSuccesses},
}

const jitterOfNextSync = "jitter of the next sync, up to half of what is left or of the sync frequency"

// alwaysLate is the diagnosis of package sample for a step that is always late.
func alwaysLate(step string) formula.Rival {
	return formula.Rival{Name: "one step is always late: " + step}
}

func rightDiagnosesOf(name string) (names []string) {
	for _, r := range rightDiagnoses[name] {
		names = append(names, r.Name)
	}
	return names
}
