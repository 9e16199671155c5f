// Package observed writes what an observation found: as lines and a page for people, as JSON for programs, and as
// OpenMetrics. It judges nothing.
package observed

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/observe"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/reports/predict/sentences"
)

// Line writes a fact for people.
func Line(f observe.Fact) string {
	switch f := f.(type) {
	case observe.Death:
		return at(f.At) + "  died   " + death(f)
	case observe.Departure:
		return at(f.Gone) + "  gone   " + departure(f)
	case observe.Successor:
		return at(f.Ready) + "  ready  " + successor(f)
	case observe.Gap:
		return clock(f.From) + "  gap    until " + clock(f.To) + ": " + f.What
	}
	return ""
}

func clock(t time.Time) string { return t.Local().Format("15:04:05.000") }

// at writes an instant with its error in seconds.
func at(i observe.Instant) string {
	return fmt.Sprintf("%s %s", clock(i.At), margin(i.Error()))
}

// margin writes an error, in milliseconds if it is below ten.
func margin(d time.Duration) string {
	if d < 10*time.Millisecond {
		return fmt.Sprintf("±%dms", max(1, (d+time.Millisecond/2)/time.Millisecond))
	}
	return "±" + strconv.FormatFloat(d.Seconds(), 'f', 2, 64) + "s"
}

// seconds writes a duration with its error.
func seconds(d observe.Duration) string {
	text := strconv.FormatFloat(d.Probably.Seconds(), 'f', 3, 64) + " s"
	if e := d.Error(); e >= 10*time.Millisecond {
		return strconv.FormatFloat(d.Probably.Seconds(), 'f', 2, 64) + " s " + margin(e)
	}
	return text
}

func death(d observe.Death) string {
	ended := string(d.Outcome)
	switch {
	case d.Outcome == observe.SIGKILL:
		ended = "killed by SIGKILL"
	case d.Outcome == observe.Unknown:
		ended = "nobody reported how"
	case d.ExitCode != nil:
		ended = fmt.Sprintf("exited with code %d", *d.ExitCode)
	}
	parts := []string{fmt.Sprintf("%s container %s: %s, %s", d.Name, d.Container, d.Cause, ended)}
	if took, asked := d.Took(); asked {
		text := seconds(took) + " after " + begin(d)
		if share, has := d.Share(); has {
			text += fmt.Sprintf(", %.0f %% of its grace period of %s", share*100, sentences.Span(same(d.Grace)))
		}
		parts = append(parts, text)
	}
	parts = append(parts, compared(d.Windows)...)
	if d.APIOnly {
		parts = append(parts, "seen from the API only")
	}
	return strings.Join(append(parts, notes(d.Why)...), "; ")
}

func same(d time.Duration) predict.Span { return predict.Span{Earliest: d, Latest: d} }

func begin(d observe.Death) string {
	if strings.HasPrefix(what(d.Windows), "from the delete") {
		return "the delete"
	}
	return "the kill began"
}

func what(all []observe.Compared) string {
	if len(all) == 0 {
		return ""
	}
	return all[0].What
}

// notes returns what the cluster says in one line.
func notes(why string) []string {
	why = strings.Join(strings.Fields(why), " ")
	if why == "" {
		return nil
	}
	return []string{strings.TrimSuffix(why, ".")}
}

// compared says which windows times were in.
func compared(all []observe.Compared) (texts []string) {
	for _, c := range all {
		if c.Unpredicted != "" {
			texts = append(texts, "not predicted: "+c.Unpredicted)
			continue
		}
		text := "predicted " + sentences.Span(c.Window)
		switch outside := c.Outside(); {
		case outside > 0:
			text += ": LATE by " + strconv.FormatFloat(outside.Seconds(), 'f', 3, 64) + " s"
		case outside < 0:
			text += ": EARLY by " + strconv.FormatFloat(-outside.Seconds(), 'f', 3, 64) + " s"
		case c.Sure():
			text += ": within"
		default:
			text += ": within, as exact as it is known"
		}
		texts = append(texts, text)
	}
	return texts
}

func departure(d observe.Departure) string {
	parts := []string{fmt.Sprintf("%s: %s", d.Name, d.Cause)}
	if d.Requested != nil {
		parts = append(parts, seconds(d.Gone.Since(*d.Requested))+" after the delete")
	}
	for _, s := range d.Services {
		if s.Left == nil {
			parts = append(parts, fmt.Sprintf("Service %s never showed it as not ready", s.Name))
			continue
		}
		parts = append(parts, fmt.Sprintf("in Service %s for %s", s.Name, seconds(s.Stayed)))
	}
	return strings.Join(append(parts, notes(d.Why)...), "; ")
}

func successor(s observe.Successor) string {
	if s.Container != "" {
		parts := []string{fmt.Sprintf("%s container %s again, %s after its death", s.Pod.Name, s.Container,
			seconds(s.After))}
		for _, c := range s.Windows {
			parts = append(parts, "started "+seconds(c.Measured)+" after it")
		}
		return strings.Join(append(parts, compared(s.Windows)...), "; ")
	}
	when, after := "after", s.After
	if after.Probably < 0 {
		when = "before"
		after = observe.Duration{Least: -after.Most, Probably: -after.Probably, Most: -after.Least}
	}
	return fmt.Sprintf("%s in place of %s, %s %s its delete", s.Pod.Name, s.Of.Name, seconds(after), when)
}

// Summary writes what happened to a workload in two lines.
func Summary(s observe.Summary) string {
	var causes []string
	for _, c := range slices.Sorted(maps.Keys(s.Causes)) {
		causes = append(causes, fmt.Sprintf("%s %d", c, s.Causes[c]))
	}
	text := fmt.Sprintf("%s/%s: %s, %s", s.Namespace, s.Workload, sentences.Count(s.Deaths, "death"),
		sentences.Count(s.Departures, "pod")+" gone")
	if len(causes) > 0 {
		text += " (" + strings.Join(causes, ", ") + ")"
	}
	if s.Kills > 0 {
		text += fmt.Sprintf("; termination p50 %.3f s, p99 %.3f s, longest %.3f s", s.P50.Seconds(), s.P99.Seconds(),
			s.Longest.Seconds())
	}
	return text + fmt.Sprintf("; %d killed by SIGKILL, %d late, %d outside their windows, %d not predicted", s.Killed,
		s.Late, s.Deviating, s.Unpredicted)
}
