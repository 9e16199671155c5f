package formula

import (
	"slices"
	"time"
)

// All returns every formula, area by area. One that depends on a number is there with one of its numbers.
func All() []Formula {
	return slices.Concat(
		terminationFormulas, causeFormulas, deletionFormulas, hookFormulas, probeFormulas, probeKindFormulas,
		restartFormulas, sidecarFormulas, evictionFormulas, reportFormulas, shutdownFormulas, lostNodeFormulas,
		trafficFormulas,
	)
}

// The formulas of each area.
var (
	terminationFormulas = []Formula{
		Remainder, KillLength, KillStart, HookBound, HookThenSignal, SleepThenSignal, HookRuns, ProbeGraceIgnored,
		StopSignals, ObeyedSignal, DeathCode, ObjectDeleted, ObjectForced, KilledTogether,
	}
	causeFormulas = []Formula{
		PostStartKills, PostStartRefused, PostStartDeath, PostStartShown,
		ChangeKills, ChangeStarts, DeadlineKills, PhaseAfterDeath, KilledInTurn, KilledByOneSync,
		KillWaits,
		RestartAllKills, RestartAllFree, RestartAllAgain, RestartedOnce, RestartHeld, RestartAllHeld,
		ExceededGrace, HookRunsAgain, GraceAgain, GraceKept, OrphanFound,
		ManifestRemoved, MirrorGone, MirrorDelete, MirrorRenewed, OrphanKilled, StopFails, NeverStopped,
		OrphanStopFails,
		StaticTurn, StaticReturns,
		MirrorReplaced,
	}
	deletionFormulas = []Formula{
		DeletedBeforeStart, DeletedWithin(10 * time.Second), HeldStart(12 * time.Second), KilledAfterSync,
		DeletionGrace, DeletionShift, DeletionBegan, TaintDeletion, DisruptionCondition, EvictionRefused, LivesOn,
		ObjectEnded, DeathAfterObject, ShortenedRemainder, SecondTaint(3), EvictionOfTwoBudgets,
		EvictionAllowed, PreconditionFailed, UnreadyPreconditionFailed, StartsNoMore,
	}
	hookFormulas = []Formula{
		HookFailureEvent, HookTimeoutSilent, HookDeathEvent, PostStartEvent, SleepOutlives, NoSignal, ImageStopSignal,
		OwnStopSignal, HostNetworkHook, FallbackSilent, HookStatusIgnored,
	}
	probeFormulas = []Formula{
		FailingProbes, StreakSurvives, ProbeKills, FirstProbe, LastProbeToKill, KillSpacing, KillTicks, NoKill,
		HeldBack, Cadence, FirstTick, LaterFirstProbe, LaterProbe, LaterProbeKills, FinishedFailed,
	}
	probeKindFormulas = []Formula{
		FaultSeen, FailuresApart, FaultKills, ReadyAfter, UnreadyAfter, UnreadyLag, ReadyLag, LastSuccessReady,
		FirstReady, OutOfTurn, AfterOutOfTurn, ReadinessKillsNobody, ReadyKeptOverRestart, StaysUnready, Released,
		StartupOnce, StartupAgain, StartupFirst, GateKept, AfterKubeletStart, TickToTick, NeverCounts, GateOpens,
		ClosedGRPCKills,
		MissingPortNeverCounts, ErrorReported, TriedAgain, NextCycle, RedirectAwayWarns, RedirectKills,
		ProbesOfTerminating, UnreadyWithRestart, UnreadyAtStartupTick, UnreadyUntilStarted,
		UnreadyReplacement, ServerReturns(24*time.Second, 12*time.Second), SidecarHeeded,
	}
	restartFormulas = []Formula{
		FreeRestart, FirstCrash, RestartDelay, RestartDelayAfterProbe, RestartDelayForgotten, RestartDelayReduced,
		DelayAfterRestartAll,
		PullDelay, AfterKubeletRestart, AfterNewImage, RuntimeAnswers(5 * time.Second), Forgotten, RestartCount,
		ShownAsCrashLoop, InitThenNext, PodEnds, JobFails, Starts, NeverStarts, OutOfMemory, OutOfMemoryCode,
		HookSkipped, Undisturbed,
		AfterCollection, ConfigErrorRetry, ConfiguredStart, StartErrorRetry(3),
		SandboxShown, SandboxRestart, SandboxLostForGood, RebootRestart, RebootedForGood, UnknownCode, PulledAgain,
		CannotStart, PullSecretReported, PullSecretEvents(1),
		ConfigErrorBeside(40 * time.Second), BackOffReported, BackOffEvents,
		ResizeKills, ResizeStarts, ResizeStartsBackedOff, AfterResize, ResizedInPlace, ResizeCompleted, ResizeShown,
		ResizeShownForAMoment,
		ResizeRefused, PlainResizeRefused, ResizeInfeasible, ResizeRetried, ResizeAfterEnd, ResizeErrorShown,
		LoweredAfterRestart,
	}
	sidecarFormulas = []Formula{
		SidecarSignal, SidecarRemainder, SidecarGrace, SidecarHook, SidecarsAfterMain, StartsAfterSidecar,
		SidecarsStartAgain, StartsBesideCrashed, SidecarStaysDown, UnheededFailures,
	}
	evictionFormulas = []Formula{
		HardEvictionFound, SoftEvictionFound, SoftEvictionTuned, VolumeLimitFound(1), LayerLimitFound(1), NextEviction,
		SidecarLayerLimit, CleanupLimit, EvictedReason, SuccessReason, PressureBegins, PressureEnds, EvictionRemainder,
		EvictionHookBound, EventThenKill, DisruptionTarget, EndedForGood, ObjectStays, NotEvicted, PreemptionStart,
		PreemptorStart, PreemptedNext, NextAfterWaiting, SoftEvictionShown,
		SoftEvictionTunedShown, LostCode, Refusal, RefusalFor, RefusedNever,
		EvictedAgain,
	}
	reportFormulas = []Formula{
		EndsReported, EndsDated, ExitCodesReported, EndsKnown, FailuresCounted,
		ContainersReported, LastEndsReported, ConditionsReported, TransitionsReported, PhasesReported,
		PhasesAgainReported, AddressesReported,
		ClassReported, GenerationsReported, SandboxesConfigured, ContainersConfigured, ContainersResized, LimitsFit,
		CallsOrdered, ObjectsWritten,
		EndReasonsReported, WaitsReported, DisruptionsReported, SandboxesReported, EndsKept, ResourcesReported,
		ServerReported, KubeletExits, KubeletHangs,
		KubeletDefaults, EarlyCollections(100), UnseenFailures(100), PodStarts, KillsCaused, RestartsCaused,
		EvictionsCaused, CriticalPodsLive, RunningShown,
		EventsFormed, EventsOrdered, LivesReported, FailuresReported,
	}
	shutdownFormulas = []Formula{
		ShutdownStart, ShutdownTurn, ShutdownNext, ShutdownReason, ShutdownRefusal, RefusalReason, ShutdownWaits,
		ShutdownForgotten,
	}
	lostNodeFormulas = []Formula{NodeLost, NodeTainted}
	trafficFormulas  = []Formula{
		EndpointUnready, EndpointFollowsProbe, ProxyFollows, RequestsThenSignal, LastEndpoint, AlwaysRouted,
	}
)
