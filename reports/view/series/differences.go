package series

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/reports/view"
)

type difference struct {
	What   string `json:"what"`
	Before string `json:"before"`
	After  string `json:"after"`
}

func differences(before, after run.Run) []difference {
	var all []difference
	add := func(what, was, is string) {
		if was != is {
			all = append(all, difference{What: what, Before: cmp.Or(was, "none"), After: cmp.Or(is, "none")})
		}
	}
	addEach := func(was, is map[string]string) {
		both := map[string]string{}
		maps.Copy(both, was)
		maps.Copy(both, is)
		for _, name := range slices.Sorted(maps.Keys(both)) {
			add(name, was[name], is[name])
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
	addEach(b.Components, a.Components)
	addEach(b.Settings, a.Settings)
	for _, s := range before.Subjects {
		if t := after.Subject(s.Name); t.Kubelet.Version != "" {
			add("kubelet of "+s.Name, view.Reported(s), view.Reported(t))
			add("lane of "+s.Name, string(s.RanIn()), string(t.RanIn()))
		}
	}
	return all
}
