package trace

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/virtual/wire"
)

// Change is the kind of a difference.
type Change string

const (
	// Missing is an entry that only the trace before has.
	Missing Change = "missing"
	// Extra is an entry that only the trace after has.
	Extra Change = "extra"
	// Moved is an entry at another time.
	Moved Change = "moved"
	// Altered is an entry with other arguments.
	Altered Change = "altered"
	// Answered is an entry with another result or duration.
	Answered Change = "answered otherwise"
	// Swapped are entries of one instant, pod and container in another order.
	Swapped Change = "in another order"
)

// Difference is the first difference of two traces of one trial. What follows it may be its consequence.
type Difference struct {
	Trial string `json:"trial"`
	Seed  uint64 `json:"seed"`
	// Fault is that of the trace before.
	Fault  int64  `json:"cue"`
	Change Change `json:"change"`
	// Entry is the entry before, or the extra one. Other is the same entry after, if it was moved, altered or answered
	// otherwise.
	Entry Entry  `json:"entry"`
	Other *Entry `json:"other,omitempty"`
	// Before and After are the entries around the difference in the two traces.
	Before []Entry `json:"before"`
	After  []Entry `json:"after"`
}

// surroundings is the number of entries before and after it that a difference has. They are of its pod, and change
// something.
const surroundings = 3

// First returns the first difference of two traces, nil if there is none.
func First(before, after Trace) *Difference {
	a, b := before.Entries, after.Entries
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	if i == len(a) && i == len(b) {
		return nil
	}
	d := differ(a, b, i)
	d.Trial, d.Seed, d.Fault = after.Trial, after.Seed, before.Fault
	d.Before, d.After = d.around(a, i), d.around(b, i)
	return &d
}

func differ(a, b []Entry, i int) Difference {
	switch {
	case i == len(b):
		return missing(a[i], a, b, i)
	case i == len(a):
		return extra(b[i], a, b, i)
	}
	x, y := a[i], b[i]
	gone, came := count(a[i:], x) > count(b[i:], x), count(b[i:], y) > count(a[i:], y)
	switch {
	case x.At != y.At:
		gone = x.At < y.At
	case same(x, y):
		return Difference{Change: Answered, Entry: x, Other: &y}
	case of(x, y) && x.What == y.What && gone && came:
		return Difference{Change: Altered, Entry: x, Other: &y}
	case of(x, y) && !gone && !came:
		return Difference{Change: Swapped, Entry: x, Other: &y}
	}
	if gone {
		return missing(x, a, b, i)
	}
	return extra(y, a, b, i)
}

// count returns how often a trace has an entry.
func count(all []Entry, e Entry) (n int) {
	for _, other := range all {
		if other == e {
			n++
		}
	}
	return n
}

// missing returns the difference of an entry that the trace after does not have at its time.
func missing(x Entry, a, b []Entry, i int) Difference {
	if moved := elsewhere(x, b[i:], a[i:]); moved != nil {
		return Difference{Change: Moved, Entry: x, Other: moved}
	}
	if other := instead(x, b[i:], a[i:]); other != nil {
		return Difference{Change: Altered, Entry: x, Other: other}
	}
	return Difference{Change: Missing, Entry: x}
}

// extra returns the difference of an entry that the trace before does not have at its time.
func extra(y Entry, a, b []Entry, i int) Difference {
	if from := elsewhere(y, a[i:], b[i:]); from != nil {
		return Difference{Change: Moved, Entry: *from, Other: &y}
	}
	return Difference{Change: Extra, Entry: y}
}

// same reports whether two entries differ only in their time and answer.
func same(x, y Entry) bool { return of(x, y) && x.What == y.What && x.Text == y.Text }

// of reports whether two entries are of one kind, component, pod and container.
func of(x, y Entry) bool {
	return x.Kind == y.Kind && x.By == y.By && x.Pod == y.Pod && x.Container == y.Container
}

// elsewhere returns the first entry that is the same as x at another time, and that x's own trace does not have. So the
// next one of a series is not taken for a moved one.
func elsewhere(x Entry, others, own []Entry) *Entry {
	for _, other := range others {
		inBoth := func(e Entry) bool { return e.At == other.At && same(e, other) }
		if same(x, other) && !slices.ContainsFunc(own, inBoth) {
			return &other
		}
	}
	return nil
}

// instead returns the entry of x's time with the same call and other arguments that x's own trace does not have.
func instead(x Entry, others, own []Entry) *Entry {
	for _, other := range others {
		if other.At != x.At {
			break
		}
		if of(x, other) && x.What == other.What && !slices.Contains(own, other) {
			return &other
		}
	}
	return nil
}

// around returns the entries before a place in a trace, and those from it on, as far as they concern the difference.
func (d Difference) around(all []Entry, place int) []Entry {
	concerns := func(e Entry) bool {
		return e == d.Entry || d.Other != nil && e == *d.Other ||
			!Reads(e) && (d.Entry.Pod == "" || e.Pod == d.Entry.Pod)
	}
	var some []Entry
	for i := place - 1; i >= 0 && len(some) < surroundings; i-- {
		if concerns(all[i]) {
			some = append(some, all[i])
		}
	}
	slices.Reverse(some)
	for i, n := place, 0; i < len(all) && n <= surroundings; i++ {
		if concerns(all[i]) {
			some = append(some, all[i])
			n++
		}
	}
	return some
}

// Reads reports whether an entry changes nothing: a list, a look or a watch.
func Reads(e Entry) bool {
	switch e.What {
	case "Version", "Status", "ImageFsInfo":
		return true
	}
	for _, prefix := range []string{"List", "get ", "list ", "watch "} {
		if strings.HasPrefix(e.What, prefix) {
			return true
		}
	}
	return strings.HasSuffix(e.What, "Status") && e.Kind == wire.KindCRI
}

// By returns how much later a moved entry is, else 0.
func (d Difference) By() time.Duration {
	if d.Other == nil || d.Change != Moved {
		return 0
	}
	return time.Duration(d.Other.At - d.Entry.At)
}

// Detail is what differs, without the trial: the time by which an entry moved, or the arguments that changed.
func (d Difference) Detail() string {
	switch d.Change {
	case Moved:
		by := d.By().String()
		if d.By() > 0 {
			by = "+" + by
		}
		return by
	case Altered:
		return changed(d.Entry.Text, d.Other.Text)
	case Answered:
		if d.Entry.Error != d.Other.Error {
			return cmp.Or(d.Entry.Error, "no error") + " → " + cmp.Or(d.Other.Error, "no error")
		}
		return took(d.Entry.Took) + " → " + took(d.Other.Took)
	case Swapped:
		return d.Entry.What + " after " + d.Other.What
	}
	return ""
}

func took(ns int64) string {
	if ns < 0 {
		return "no answer"
	}
	return "answered after " + time.Duration(ns).String()
}

// longestDetail bounds the texts of a detail, in bytes.
const longestDetail = 60

// changed returns the middle of two texts, which have the same beginning and end.
func changed(before, after string) string {
	x, y := words(before), words(after)
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	return short(x) + " → " + short(y)
}

func short(words []string) string {
	text := strings.Join(words, "")
	if text == "" {
		return "nothing"
	}
	if len(text) > longestDetail {
		return strings.ToValidUTF8(text[:longestDetail], "") + "…"
	}
	return text
}

// words splits a text behind each character that separates words in JSON and in English.
func words(text string) (all []string) {
	for text != "" {
		i := strings.IndexAny(text, `,:{}[]" =`)
		if i < 0 {
			return append(all, text)
		}
		if i > 0 {
			all = append(all, text[:i])
		}
		all = append(all, text[i:i+1])
		text = text[i+1:]
	}
	return all
}
