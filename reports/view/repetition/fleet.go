package repetition

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/view/series"
)

// FleetSchema names the format of fleet.json.
const FleetSchema = "podclock.fleet/v1"

// What a fleet's folder has beside the runs of its waves.
const (
	FleetFile       = "fleet.md"
	FleetClaimsFile = "fleet-claims.md"
	FleetJSON       = "fleet.json"
	// FleetPrefix begins the folder's name.
	FleetPrefix = "fleet-"
)

// Fleet is what the same trials found on many nodes. Each trial on a node of a group repeats that on the others.
type Fleet struct {
	Schema string `json:"schema"`
	// Waves are the runs, each with some of the nodes.
	Waves []string `json:"waves"`
	// Asked is the number of nodes that were requested. Nodes are those with a result.
	Asked  int         `json:"asked"`
	Groups []Group     `json:"groups"`
	Nodes  []FleetNode `json:"nodes"`
	// Outliers are the nodes with values far from those of their group, the farthest first.
	Outliers []Outlier     `json:"outliers,omitempty"`
	Claims   []ClaimSpread `json:"claims"`
	Problems []string      `json:"problems,omitempty"`
	ExitCode int           `json:"exitCode"`
}

// Group is the nodes with the same kubelet, runtime and system.
type Group struct {
	Name string `json:"name"`
	// Nodes is the number of those with a result, Deviate and Unjudged that of [FleetNode.Deviates] and
	// [FleetNode.Unjudged].
	Nodes    int `json:"nodes"`
	Deviate  int `json:"deviate"`
	Unjudged int `json:"unjudged"`
}

// FleetNode is the result of one node.
type FleetNode struct {
	Name     string                `json:"name"`
	Group    string                `json:"group"`
	Wave     string                `json:"wave"`
	Verdicts map[trial.Verdict]int `json:"verdicts"`
	// Deviations are the trials that deviate, Reasons their reasons in the same order.
	Deviations []string `json:"deviations,omitempty"`
	Reasons    []string `json:"reasons,omitempty"`
	// Unjudged is why the node counts as not judged, or empty.
	Unjudged string `json:"unjudged,omitempty"`
}

// Deviates reports whether a trial deviates on the node.
func (n FleetNode) Deviates() bool { return len(n.Deviations) > 0 }

// Outlier is a node with values that are far from those of its group, inside their windows or not.
type Outlier struct {
	Node string `json:"node"`
	// Claims is the number of such values. The others describe the farthest one.
	Claims   int    `json:"claims"`
	Trial    string `json:"trial"`
	Claim    string `json:"claim"`
	Measured int64  `json:"measured"`
	// Group has the quartiles of the group's values.
	Group series.Quartiles[int64] `json:"group"`
}

// A value is far from those of its group if its distance from their middle half is more than three times the width of
// that half (Tukey's outer fence) and more than farFrom. This is no tolerance: no verdict depends on it. Fewer than
// five values have no middle.
const (
	fences   = 3
	farFrom  = int64(100 * time.Millisecond)
	fewNodes = 5
)

// FleetBuilder makes the report of a fleet, wave by wave. It keeps a number for each claim of each node.
type FleetBuilder struct {
	report  Fleet
	spreads *spreads
	// nodes are those of the spreads' measured times, in the same order, as indexes of the report's nodes.
	nodes map[spreadKey][]int32
}

// NewFleet returns a builder for the requested number of nodes.
func NewFleet(asked int) *FleetBuilder {
	return &FleetBuilder{
		report: Fleet{Schema: FleetSchema, Asked: asked}, spreads: newSpreads(), nodes: map[spreadKey][]int32{},
	}
}

// Ask requests more nodes.
func (b *FleetBuilder) Ask(more int) { b.report.Asked += more }

// AddProblem adds what kept a wave from judging.
func (b *FleetBuilder) AddProblem(text string) { b.report.Problems = append(b.report.Problems, text) }

// Add adds a wave.
func (b *FleetBuilder) Add(r run.Run) {
	seen := series.Observe(r)
	b.report.Waves = append(b.report.Waves, r.ID)
	for _, problem := range r.Problems {
		b.AddProblem("wave " + r.ID + ": " + problem)
	}
	unjudged := map[string]string{}
	for _, u := range r.Unjudged() {
		if u.Fails {
			unjudged[u.Subject] = u.String()
		}
	}
	index := map[string]int{}
	for _, s := range r.Subjects {
		index[s.Name] = len(b.report.Nodes)
		b.report.Nodes = append(b.report.Nodes, FleetNode{
			Name: cmp.Or(s.Node, s.Name), Group: cmp.Or(s.Group, s.Kubelet.Version), Wave: r.ID,
			Verdicts: map[trial.Verdict]int{}, Unjudged: unjudged[s.Name],
		})
	}
	for _, o := range seen.Outcomes {
		i, known := index[o.Subject]
		if !known {
			continue
		}
		n := &b.report.Nodes[i]
		n.Verdicts[o.Verdict]++
		if o.Verdict == trial.Deviates {
			n.Deviations, n.Reasons = append(n.Deviations, o.Trial), append(n.Reasons, o.Why)
		}
		o.Kubelet, o.Subject = n.Group, n.Name
		b.spreads.add(r.ID, o)
		b.note(int32(i), o)
	}
	for _, i := range index {
		if n := &b.report.Nodes[i]; run.Judged(n.Verdicts) == 0 {
			n.Unjudged = cmp.Or(n.Unjudged, "no trial was judged")
		}
	}
}

// note keeps which node measured the newest times.
func (b *FleetBuilder) note(node int32, o series.Outcome) {
	for _, c := range o.Claims {
		key := spreadKey{repeated{o.Trial, o.Kubelet, o.Lane}, c.Name}
		if len(b.spreads.claims[key].measured) > len(b.nodes[key]) {
			b.nodes[key] = append(b.nodes[key], node)
		}
	}
}

// Fleet returns the report of the waves so far.
func (b *FleetBuilder) Fleet() Fleet {
	f := b.report
	f.Claims, f.Outliers = b.spreads.all(), b.outliers()
	for _, n := range f.Nodes {
		i := slices.IndexFunc(f.Groups, func(g Group) bool { return g.Name == n.Group })
		if i < 0 {
			i = len(f.Groups)
			f.Groups = append(f.Groups, Group{Name: n.Group})
		}
		g := &f.Groups[i]
		g.Nodes++
		switch {
		case n.Deviates():
			g.Deviate++
		case n.Unjudged != "":
			g.Unjudged++
		}
	}
	f.ExitCode, _ = f.exit()
	return f
}

func (b *FleetBuilder) outliers() []Outlier {
	worst, farthest := map[int32]*Outlier{}, map[int32]int64{}
	for key, nodes := range b.nodes {
		if len(nodes) < fewNodes {
			continue
		}
		measured := b.spreads.claims[key].measured
		q := series.QuartilesOf(measured)
		fence := max(fences*(q.Q3-q.Q1), farFrom)
		for i, node := range nodes {
			far := max(measured[i]-q.Q3, q.Q1-measured[i])
			if far <= fence {
				continue
			}
			o := worst[node]
			if o == nil {
				o = &Outlier{Node: b.report.Nodes[node].Name}
				worst[node] = o
			}
			o.Claims++
			if further := cmp.Compare(far, farthest[node]); further > 0 ||
				further == 0 && key.trial+key.claim < o.Trial+o.Claim {
				farthest[node] = far
				o.Trial, o.Claim, o.Measured, o.Group = key.trial, key.claim, measured[i], q
			}
		}
	}
	var all []Outlier
	for _, node := range slices.SortedFunc(maps.Keys(worst), func(x, y int32) int {
		return cmp.Or(cmp.Compare(farthest[y], farthest[x]), cmp.Compare(x, y))
	}) {
		all = append(all, *worst[node])
	}
	return all
}

func (f Fleet) count(is func(FleetNode) bool) (n int) {
	for _, node := range f.Nodes {
		if is(node) {
			n++
		}
	}
	return n
}

func (f Fleet) deviating() int { return f.count(FleetNode.Deviates) }

func (f Fleet) unjudged() int {
	return f.count(func(n FleetNode) bool { return !n.Deviates() && n.Unjudged != "" })
}

// exit returns the exit code and its meaning in one sentence.
func (f Fleet) exit() (code int, reason string) {
	switch {
	case f.deviating() > 0:
		return run.ExitDeviates, run.Plural(f.deviating(), "node") +
			": a trial measured what the kubelet's code should not compute."
	case len(f.Problems) > 0, len(f.Nodes) < f.Asked, f.unjudged() > 0, len(f.Nodes) == 0:
		return run.ExitUnjudged, "not every node was judged."
	}
	return run.ExitConforms, "no node deviates."
}

// ExitReason is the meaning of the exit code in one sentence.
func (f Fleet) ExitReason() string {
	_, reason := f.exit()
	return reason
}
