package series

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/reports/view"
)

// Difference is something about the runs themselves that is not alike: a reader of what moved looks here first.
type Difference struct {
	What   string `json:"what"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// differences are what the two runs do not have in common, in a fixed order. Their subjects are compared by
// their names.
func differences(before, after run.Run) []Difference {
	var all []Difference
	add := func(what, was, is string) {
		if was != is {
			all = append(all, Difference{What: what, Before: cmp.Or(was, "none"), After: cmp.Or(is, "none")})
		}
	}
	b, a := before.Environment, after.Environment
	add("podclock", b.Podclock, a.Podclock)
	add("profile", before.Profile, after.Profile)
	add("Go", b.Go, a.Go)
	add("kernel", b.Kernel, a.Kernel)
	add("CPUs", strconv.Itoa(b.CPUs), strconv.Itoa(a.CPUs))
	add("engine", b.Engine, a.Engine)
	add("node image", b.NodeImage, a.NodeImage)
	add("adaptations", strings.Join(b.Adaptations, "; "), strings.Join(a.Adaptations, "; "))
	for _, name := range keysOf(b.Components, a.Components) {
		add(name, b.Components[name], a.Components[name])
	}
	for _, name := range keysOf(b.Settings, a.Settings) {
		add(name, b.Settings[name], a.Settings[name])
	}
	for _, s := range before.Subjects {
		if t := after.Subject(s.Name); t.Kubelet.Version != "" {
			add("kubelet of "+s.Name, view.Reported(s), view.Reported(t))
			add("lane of "+s.Name, string(s.RanIn()), string(t.RanIn()))
		}
	}
	return all
}

// keysOf are the keys of either map in the order of their names.
func keysOf(before, after map[string]string) []string {
	both := maps.Clone(before)
	if both == nil {
		both = map[string]string{}
	}
	maps.Copy(both, after)
	return slices.Sorted(maps.Keys(both))
}
