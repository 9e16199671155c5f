package effective

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Longest is the longest duration that predictions contain: ten years.
const Longest = 10 * 366 * 24 * time.Hour

// HookTakes returns the shortest duration of a preStop hook, and whether it is exact.
func HookTakes(c *corev1.Container) (least time.Duration, exact bool) {
	if c.Lifecycle == nil {
		return 0, true
	}
	return Takes(c.Lifecycle.PreStop)
}

// Takes returns the shortest duration of a hook, and whether it is exact.
func Takes(h *corev1.LifecycleHandler) (least time.Duration, exact bool) {
	switch {
	case h == nil:
		return 0, true
	case h.Sleep != nil:
		return Seconds(h.Sleep.Seconds), true
	case h.Exec != nil:
		return sleepOf(h.Exec.Command)
	}
	return 0, false
}

// PostStart is about the postStart hooks of a pod's start. Each holds the sync that starts the main containers one
// after another.
type PostStart struct {
	// Before is how long those before a container's start surely take, From its own and those after it.
	Before, From time.Duration
	// Exact is set if none takes longer.
	Exact bool
	// Containers is how many start from the container on.
	Containers int
}

// PostStart returns the hooks that hold the start of a container. Sidecars and init containers have their own only.
func (p Pod) PostStart(c Container) PostStart {
	all, started := PostStart{Exact: true}, false
	for _, other := range p.All() {
		started = started || other.Name == c.Name
		if started && other.Role == c.Role {
			all.Containers++
		}
		if other.Lifecycle == nil || other.Role != c.Role || c.Role != Main && other.Name != c.Name {
			continue
		}
		least, exact := Takes(other.Lifecycle.PostStart)
		if all.Exact = all.Exact && exact; started {
			all.From += least
		} else {
			all.Before += least
		}
	}
	return all
}

var (
	// sleepArgument is a number of seconds, minutes, hours or days.
	sleepArgument = regexp.MustCompile(`^(\d{1,6}(?:\.\d+)?)([smhd]?)$`)
	// separators divide commands that run one after another.
	separators = regexp.MustCompile(`;|\n|&&`)
	// branching matches scripts that may not run from beginning to end.
	branching = regexp.MustCompile("[&|<>(){}$`\"'#\\\\]|\\b(if|then|else|elif|fi|for|while|until|do|done|" +
		"case|esac|exit|exec|return|trap|set|timeout|function)\\b")

	shells     = []string{"sh", "bash", "ash", "dash"}
	secondsPer = map[string]float64{"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
)

// sleepOf returns how long a command certainly sleeps, and whether it does nothing else.
func sleepOf(command []string) (least time.Duration, exact bool) {
	if len(command) == 0 {
		return 0, false
	}
	name := path.Base(command[0])
	switch {
	case name == "sleep":
		return sumOf(command[1:])
	case slices.Contains(shells, name) && len(command) == 3 && command[1] == "-c":
		return sleepOfScript(command[2])
	}
	return 0, false
}

// sleepOfScript adds up the sleeps that certainly run, up to a command that may end the script or an "&&" after one
// that may fail.
func sleepOfScript(script string) (least time.Duration, exact bool) {
	exact = true
	for script != "" {
		command, and := script, false
		script = ""
		if at := separators.FindStringIndex(command); at != nil {
			command, script, and = command[:at[0]], command[at[1]:], command[at[0]:at[1]] == "&&"
		}
		words := strings.Fields(command)
		switch {
		case branching.MatchString(command):
			return least, false
		case len(words) == 0:
		case path.Base(words[0]) == "sleep":
			d, known := sumOf(words[1:])
			least, exact = min(least+d, Longest), exact && known
		default:
			exact = false
			if and {
				return least, false
			}
		}
	}
	return least, exact
}

func sumOf(arguments []string) (time.Duration, bool) {
	total := 0.0
	for _, a := range arguments {
		found := sleepArgument.FindStringSubmatch(a)
		if found == nil {
			return 0, false
		}
		n, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			return 0, false
		}
		total += n * secondsPer[found[2]]
	}
	return time.Duration(min(total, Longest.Seconds()) * float64(time.Second)), len(arguments) > 0
}
