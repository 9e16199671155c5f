package predict

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// hookTakes is how long a container's preStop hook takes at least, and whether that is all: a sleep action
// says it, a command that sleeps as well.
func hookTakes(c *corev1.Container) (least time.Duration, told bool) {
	if c.Lifecycle == nil || c.Lifecycle.PreStop == nil {
		return 0, true
	}
	switch h := c.Lifecycle.PreStop; {
	case h.Sleep != nil:
		return whole(h.Sleep.Seconds), true
	case h.Exec != nil:
		return slept(h.Exec.Command)
	}
	return 0, false
}

var (
	// sleepWord is an argument of sleep: a number of seconds, minutes, hours or days.
	sleepWord = regexp.MustCompile(`^(\d{1,6}(?:\.\d+)?)([smhd]?)$`)
	// separators are what stands between commands that a shell runs one after another.
	separators = regexp.MustCompile(`;|\n|&&`)
	// uncertain is what makes a shell's script take another way than from its beginning to its end.
	uncertain = regexp.MustCompile(
		"[&|<>(){}$`\"'#\\\\]|\\b(if|then|else|elif|fi|for|while|until|do|done|case|esac|exit|exec|return|trap|set|timeout|function)\\b",
	)
)

// slept is how long a command certainly sleeps, and whether it does nothing else. What can't be told for certain is 0, false.
func slept(command []string) (least time.Duration, told bool) {
	if len(command) == 0 {
		return 0, false
	}
	switch name := path.Base(command[0]); {
	case name == "sleep":
		return sleepArguments(command[1:])
	case (name == "sh" || name == "bash" || name == "ash" || name == "dash") && len(command) == 3 && command[1] == "-c":
		return sleptByScript(command[2])
	}
	return 0, false
}

// sleptByScript adds up the sleeps of a script as far as it certainly runs: not behind what may end it, nor behind the "&&" of a command that may fail.
func sleptByScript(script string) (least time.Duration, told bool) {
	told = true
	for script != "" {
		command, and := script, false
		script = ""
		if at := separators.FindStringIndex(command); at != nil {
			command, script, and = command[:at[0]], command[at[1]:], command[at[0]:at[1]] == "&&"
		}
		words := strings.Fields(command)
		switch {
		case uncertain.MatchString(command):
			return least, false
		case len(words) == 0:
		case path.Base(words[0]) == "sleep":
			d, known := sleepArguments(words[1:])
			least, told = min(least+d, Longest), told && known
		default:
			told = false
			if and {
				return least, false
			}
		}
	}
	return least, told
}

// sleepArguments adds up the arguments of sleep. More than the longest time is as good as that.
func sleepArguments(words []string) (time.Duration, bool) {
	total := 0.0
	for _, w := range words {
		found := sleepWord.FindStringSubmatch(w)
		if found == nil {
			return 0, false
		}
		n, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			return 0, false
		}
		total += n * map[string]float64{"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}[found[2]]
	}
	return time.Duration(min(total, Longest.Seconds()) * float64(time.Second)), len(words) > 0
}
