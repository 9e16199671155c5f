package trial

import (
	"fmt"
	"strings"
	"time"
)

// pointNames are the points that are variables of this package, kindPoints the functions that make one of a
// kind, answerNames the answers in package victim.
var (
	pointNames = map[event]string{
		cued:           "Cued",
		cueDone:        "CueDone",
		objectDeleted:  "ObjectDeleted",
		deletionBegan:  "DeletionBegan",
		startTime:      "PodStartTime",
		started:        "Started",
		hookBegan:      "HookBegan",
		hookEnded:      "HookEnded",
		postStartBegan: "PostStartBegan",
		postStartEnded: "PostStartEnded",
		filled:         "Filled",
		sigterm:        "SIGTERM",
		gone:           "Gone",
	}
	kindPoints = map[event]string{
		firstProbe:        "FirstProbe",
		lastProbe:         "LastProbe",
		probeAfterRestart: "ProbeAfterRestart",
		phase:             "Phase",
		condition:         "Condition",
		noCondition:       "NoCondition",
		eventSeen:         "Event",
		nodeHas:           "NodeCondition",
		nodeLacks:         "NoNodeCondition",
		waiting:           "Waiting",
	}
	answerNames = map[string]string{
		"S": "Succeed",
		"F": "Fail",
		"H": "Hang",
		"L": "SlowAnswer",
		"E": "Error",
		"R": "Redirect",
		"D": "RedirectToFailure",
		"W": "RedirectAway",
		"N": "NotFound",
	}
)

// Source is the Go expression that makes the point, for whoever pastes it into the catalogue.
func (p Point) Source() string {
	var s string
	number := p.number
	switch name := pointNames[p.event]; {
	case name != "":
		s = "trial." + name
	case p.event == nthProbe:
		s, number = fmt.Sprintf("trial.NthProbe(%q, %d)", p.kind, p.number), 0
	case p.event == pulled:
		s, number = fmt.Sprintf("trial.PullAttempt(%d)", p.number), 0
	case p.event == answered:
		kind, answer, _ := strings.Cut(p.kind, "-")
		s = fmt.Sprintf("trial.Answered(%q, victim.%s)", kind, answerNames[answer])
	default:
		s = fmt.Sprintf("trial.%s(%q)", kindPoints[p.event], p.kind)
	}
	if p.container != "" && p.container != Main {
		s += fmt.Sprintf(".Of(%q)", p.container)
	}
	if p.life > 1 {
		s += fmt.Sprintf(".Life(%d)", p.life)
	}
	if number > 0 {
		s += fmt.Sprintf(".Number(%d)", number)
	}
	return s
}

// Source is the Go expression that makes the measure.
func (m Measure) Source() string {
	switch {
	case m.apart:
		return fmt.Sprintf("trial.Apart(%s, %s)", m.From.Source(), m.To.Source())
	case m.counted == "":
		return fmt.Sprintf("trial.Between(%s, %s)", m.From.Source(), m.To.Source())
	}
	s := "trial." + m.call()
	if c := m.at.container; c != "" && c != Main && m.counted != starts {
		s += fmt.Sprintf(".Of(%q)", c)
	}
	switch m.counted {
	case hookRuns, stopSignals, stopSignal, exitCode:
		if m.at.life > 1 {
			s += fmt.Sprintf(".Life(%d)", m.at.life)
		}
	}
	return s
}

// call is the call of the function that makes a measure of something counted.
func (m Measure) call() string {
	within := fmt.Sprintf("time.Duration(%d)", m.within)
	if m.within%time.Millisecond == 0 {
		within = fmt.Sprintf("%d*time.Millisecond", m.within/time.Millisecond)
	}
	switch m.counted {
	case failingProbes:
		return fmt.Sprintf("FailingProbes(%q, %d)", m.kind, m.at.life)
	case inARow:
		return fmt.Sprintf("ProbesInARowUntil(%q, %d, %s)", m.kind, m.at.life, m.mark.Source())
	case losses:
		return fmt.Sprintf("Losses(%q, %s, %s)", m.kind, m.at.Source(), within)
	case probes:
		return m.callOfProbes(within)
	case ends:
		return fmt.Sprintf("EndsWithin(%s)", within)
	case events:
		return fmt.Sprintf("Events(%q, %s, %s)", m.kind, m.at.Source(), within)
	case starts:
		container := m.kind
		if container == "" {
			container = Main
		}
		return fmt.Sprintf("Starts(%q, %s, %s)", container, m.at.Source(), within)
	case restartCount:
		return fmt.Sprintf("RestartCount(%d)", m.at.life)
	case hasCondition:
		return fmt.Sprintf("HasCondition(%q, %s, %s)", m.kind, m.at.Source(), within)
	case hasReason:
		return fmt.Sprintf("HasReason(%q, %s, %s)", m.kind, m.at.Source(), within)
	case objects:
		return fmt.Sprintf("Objects(%s, %s)", m.at.Source(), within)
	}
	numbered := map[counted]string{
		deletionGrace: "DeletionGrace",
		deletionShift: "DeletionShift",
		cueStatus:     "CueStatus",
	}
	if name := numbered[m.counted]; name != "" {
		return fmt.Sprintf("%s(%d)", name, m.number)
	}
	return map[counted]string{hookRuns: "HookRuns", stopSignals: "StopSignals", stopSignal: "StopSignal", exitCode: "DeathCode"}[m.counted] + "()"
}

func (m Measure) callOfProbes(within string) string {
	switch {
	case m.mark.event != "":
		return fmt.Sprintf("ProbesSince(%q, %s)", m.kind, m.mark.Source())
	case m.other != "":
		return fmt.Sprintf("ProbesBefore(%q, %q, %d)", m.kind, m.other, m.at.life)
	case m.within > 0:
		return fmt.Sprintf("ProbesWithin(%q, %s)", m.kind, within)
	}
	return fmt.Sprintf("Probes(%q, %d)", m.kind, m.at.life)
}
