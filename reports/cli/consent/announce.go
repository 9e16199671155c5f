package consent

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/node/external"
	"github.com/podclock/podclock/reports/cli/listing"
)

// Announce writes what a run would do to a cluster, with waves of at most so many nodes.
func Announce(w io.Writer, on *external.Cluster, selected []runner.Selection, atOnce int) {
	var text strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&text, format+"\n", args...) }
	say("Context %s, API server %s (%s)", on.Context, on.Server, on.Version)
	groups, nodes := on.Groups()
	for _, g := range groups {
		say("  %s: %s", strings.Join(nodes[g], ", "), g)
	}
	room, trials, reasons, harmful := 0, 0, map[string]int{}, map[external.Harm]int{}
	var longest, all, inTurn time.Duration
	for _, n := range on.Nodes {
		room += n.Pods
	}
	for _, s := range selected {
		if why := on.Unsupported(s.Trial); why != "" {
			reasons[why]++
			continue
		}
		trials++
		for _, h := range external.HarmsOf(s.Trial) {
			harmful[h]++
		}
		if s.Trial.Worker != nil { // after the others
			inTurn += s.Trial.Lasts
			continue
		}
		all += s.Trial.Lasts
		longest = max(longest, s.Trial.Lasts)
	}
	waves := max(1, (len(on.Nodes)+atOnce-1)/atOnce)
	room = max(1, room/waves)
	say("%d trials, at most %d pods at one time; about %s", trials, room,
		listing.Lasts(max(longest*time.Duration(waves), all/time.Duration(room))+
			inTurn*time.Duration(waves)/time.Duration(len(on.Nodes))))
	if waves > 1 {
		say("%d waves of at most %d nodes", waves, atOnce)
	}
	for _, h := range slices.Sorted(maps.Keys(harmful)) {
		say("%d allowed (%s): each %s", harmful[h], h, h.Does())
	}
	for _, why := range slices.Sorted(maps.Keys(reasons)) {
		say("%d unsupported: %s", reasons[why], why)
	}
	for _, r := range on.Refused {
		say("No right to %s (%s): %s", r, r.For, r.Without)
	}
	_, _ = io.WriteString(w, text.String())
}
