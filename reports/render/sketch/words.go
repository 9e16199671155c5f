package sketch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/reports/view"
)

func faultInWords(number, of int, c timeline.Fault) string {
	s := c.What
	if of > 1 {
		s = fmt.Sprintf("%d %s", number, s)
	}
	switch {
	case c.Error != "":
		s += " failed"
	case c.Status != 0:
		s += fmt.Sprintf(" refused, %d", c.Status)
	}
	return s
}

// longestMessage limits the part of an event's message in a mark, in letters.
const longestMessage = 70

func eventInWords(e timeline.Event) string {
	s := e.Reason
	if e.Count > 1 {
		s += fmt.Sprintf(" ×%d", e.Count)
	}
	if message := text.Snip(strings.Join(strings.Fields(e.Message), " "), longestMessage, "…"); message != "" {
		s += ", " + message
	}
	return s
}

// changed returns what a change of a pod's object changed, "" if nothing new.
func changed(was, is timeline.Change) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if is.Deleted {
		return "object gone"
	}
	if is.Phase != was.Phase {
		add("%s", is.Phase)
	}
	if is.Reason != was.Reason && is.Reason != "" {
		add("reason %s", is.Reason)
	}
	parts = append(parts, conditionsChanged(was.Conditions, is.Conditions)...)
	if g := is.DeletionGracePeriodSeconds; g != nil &&
		(is.DeletionTimestamp != was.DeletionTimestamp || was.DeletionGracePeriodSeconds == nil) {
		add("deletion with %d s, at %s", *g, view.ClockTime(is.DeletionTimestamp))
	}
	for _, now := range is.Containers {
		if says := statusChanged(was.Containers, now); says != "" {
			add("%s", says)
		}
	}
	return strings.Join(parts, ", ")
}

// followers are conditions that follow from others or from what the containers show.
var followers = []string{"PodScheduled", "PodReadyToStartContainers", "ContainersReady"}

// conditionsChanged returns conditions that became true, with a plus, and those that became false, with a
// minus. It omits followers.
func conditionsChanged(was, is []string) []string {
	var parts []string
	for _, c := range is {
		if !slices.Contains(was, c) && !slices.Contains(followers, c) {
			parts = append(parts, "+"+c)
		}
	}
	for _, c := range was {
		if !slices.Contains(is, c) && !slices.Contains(followers, c) {
			parts = append(parts, "−"+c)
		}
	}
	return parts
}

// statusChanged returns a container's new state, "" if it did not change.
func statusChanged(was []timeline.ContainerStatus, now timeline.ContainerStatus) string {
	i := slices.IndexFunc(was, func(s timeline.ContainerStatus) bool { return s.Name == now.Name })
	if i >= 0 && was[i].State == now.State && was[i].Reason == now.Reason && was[i].RestartCount == now.RestartCount {
		return ""
	}
	words := []string{now.Name, now.State}
	if now.Reason != "" {
		words = append(words, "("+now.Reason+")")
	}
	if now.RestartCount > 0 {
		words = append(words, fmt.Sprintf("restarts %d", now.RestartCount))
	}
	return strings.Join(words, " ")
}
