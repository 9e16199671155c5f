package house

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

// room is a folder with one idea. Its packages import each other and what lies in the rooms of may, nothing else of
// podclock.
type room struct {
	folder, idea string
	may          []string
}

// rooms has every room, the lowest first. A room may import only from those above it in this list, so data flows one
// way. What predicts shares rules and host with what measures, and drawing and apis with what reports on runs.
var rooms = []room{
	{"harness/rules", "what a kubelet does to a pod: the formulas", nil},
	{"harness/host", "what podclock uses of this host", nil},
	{"harness/predict", "manifests, and what will happen to their pods", []string{"harness/rules", "harness/host"}},
	{"harness/observe", "what happened to pods that nobody prepared",
		[]string{"harness/rules", "harness/predict"}},
	{"harness/measure", "one experiment, from the trial to the saved run", []string{"harness/rules"}},
	{"fixtures", "the pods that trials use", []string{"harness/measure"}},
	{"images", "the programs on a node", []string{"harness/host", "harness/observe", "harness/measure"}},
	{"harness/kubelets", "the kubelets under test: sources, mutations, builds",
		[]string{"harness/rules", "harness/host", "harness/measure", "images"}},
	{"harness/node", "the node lane: real kubelets",
		[]string{"harness/rules", "harness/host", "harness/measure", "fixtures", "images"}},
	{"harness/virtual", "the virtual lane: the kubelet's code under virtual time",
		[]string{"harness/rules", "harness/host", "harness/measure", "fixtures"}},
	{"harness/reach", "which code of Kubernetes the trials execute",
		[]string{"harness/rules", "harness/measure", "harness/kubelets", "harness/virtual"}},
	{"harness/promises", "the trials of what a manifest promises",
		[]string{"harness/rules", "harness/predict", "harness/measure", "fixtures"}},
	{"harness/fuzz", "random scenarios on virtual nodes",
		[]string{"harness/rules", "harness/predict", "harness/measure", "fixtures", "harness/virtual",
			"harness/promises"}},
	{"harness/session", "one run: its lanes and its trials", []string{"harness/rules", "harness/host", "harness/measure",
		"images", "harness/kubelets", "harness/node", "harness/virtual"}},
	{"harness/bench", "the load of many pods on one node", []string{"harness/rules", "harness/host", "harness/measure",
		"fixtures", "harness/kubelets", "harness/node", "harness/session"}},
	{"harness/mutants", "mutation testing: which mutants the trials kill", []string{"harness/rules", "harness/host",
		"harness/measure", "harness/kubelets", "harness/node", "harness/virtual", "harness/reach", "harness/fuzz",
		"harness/session"}},
	{"reports/apis", "what programs read", nil},
	{"reports/drawing", "timelines to scale, and the pages' colours", nil},
	{"reports/predict", "what people read of a prediction",
		[]string{"harness/rules", "harness/predict", "reports/apis", "reports/drawing"}},
	{"reports/observed", "what people and programs read of an observation",
		[]string{"harness/predict", "harness/observe", "reports/apis", "reports/drawing", "reports/predict"}},
	{"reports/view", "what reports say, and in which order",
		[]string{"harness/rules", "harness/measure", "harness/kubelets", "harness/virtual", "harness/reach",
			"harness/fuzz", "harness/bench", "harness/mutants"}},
	{"reports/render", "the formats of a run's reports", []string{"harness/rules", "harness/host", "harness/measure", "harness/kubelets",
		"harness/virtual", "harness/reach", "harness/fuzz", "harness/bench", "harness/mutants", "reports/apis", "reports/drawing",
		"reports/view"}},
	{"suites", "the trials, and their Ginkgo specs",
		[]string{"harness/rules", "harness/measure", "fixtures", "harness/session", "reports/view", "reports/render"}},
	{"reports/cli", "the program's commands", []string{"harness/rules", "harness/host", "harness/predict",
		"harness/observe", "harness/measure", "fixtures", "images", "harness/kubelets", "harness/node", "harness/virtual", "harness/reach",
		"harness/promises", "harness/fuzz", "harness/session", "harness/bench", "harness/mutants", "reports/apis", "reports/predict",
		"reports/observed", "reports/view", "reports/render"}},
}

// inside lists packages of one room that must not import others of it: the judge can be read without the runner, and
// formulas without a pod.
var inside = map[string][]string{
	"harness/rules/formula":    {},
	"harness/measure/mark":     {},
	"harness/measure/victim":   {"harness/measure/mark"},
	"harness/measure/delay":    {"harness/measure/mark"},
	"harness/measure/timeline": {"harness/measure/mark", "harness/measure/victim", "harness/measure/delay"},
	"harness/measure/status":   {"harness/measure/timeline", "harness/measure/victim"},
	"harness/measure/calls":    {"harness/measure/timeline", "harness/measure/victim"},
	"harness/measure/event":    {"harness/measure/timeline"},
	"harness/measure/trial": {"harness/measure/victim", "harness/measure/delay", "harness/measure/timeline",
		"harness/measure/status", "harness/measure/calls", "harness/measure/event"},
	"harness/measure/judge": {"harness/measure/mark", "harness/measure/delay", "harness/measure/timeline",
		"harness/measure/trial"},
}

// TestRoomsAreInOrder makes sure that the table has no import from below to above.
func TestRoomsAreInOrder(t *testing.T) {
	var below []string
	for _, r := range rooms {
		NewWithT(t).Expect(below).To(ContainElements(r.may), r.folder)
		below = append(below, r.folder)
	}
}

// TestImports keeps the direction of the data.
func TestImports(t *testing.T) {
	used := map[[2]string]bool{}
	for _, p := range load(t) {
		own := strings.TrimPrefix(p.PkgPath, modulePath)
		for imported := range p.Imports {
			to, ours := strings.CutPrefix(imported, modulePath)
			if why := forbidden(own, to); ours && why != "" {
				t.Errorf("%s imports %s: %s (.ci/house/rooms_test.go)", own, to, why)
			}
			used[[2]string{roomOf(own).folder, roomOf(to).folder}] = true
		}
	}
	for _, r := range rooms {
		for _, other := range r.may {
			if !used[[2]string{r.folder, other}] {
				t.Errorf("%s imports nothing of %s any more: remove it from its row", r.folder, other)
			}
		}
	}
}

func TestForbidden(t *testing.T) {
	for imports, why := range map[[2]string]string{
		{"harness/measure/judge", "suites/probes"}:          "may import only",
		{"harness/predict/live", "harness/predict"}:         "",
		{"harness/predict/live", "harness/host/kubeconfig"}: "",
		{"harness/predict", "harness/measure/run"}:          "may import only harness/rules, harness/host",
		{"harness/measure/judge", "harness/measure/runner"}: "may import only",
		{"harness/measure/runner", "harness/measure/judge"}: "",
		{"harness/rules/formula", "harness/rules/podspec"}:  "may import only",
		{"reports/predict/web", "reports/drawing/page"}:     "",
		{"reports/cli/fuzz", "harness/measure/run"}:         "",
		{"reports/cli/fuzz", "suites"}:                      "may import only",
		{"harness/attic", "harness/rules"}:                  "has no room",
		{"github.com/podclock/podclock", "reports/cli"}:     "",
		{".ci/release", "suites"}:                           "",
		{"harness/predicted", "harness/rules/formula"}:      "has no room",
	} {
		got := forbidden(imports[0], imports[1])
		if why == "" {
			NewWithT(t).Expect(got).To(BeEmpty())
		} else {
			NewWithT(t).Expect(got).To(ContainSubstring(why), "%v", imports)
		}
	}
}

// within reports whether a package lies in a folder.
func within(folder, pkg string) bool { return pkg == folder || strings.HasPrefix(pkg, folder+"/") }

// roomOf returns the room of a package. Its folder is empty if it has none.
func roomOf(pkg string) room {
	i := slices.IndexFunc(rooms, func(r room) bool { return within(r.folder, pkg) })
	if i < 0 {
		return room{}
	}
	return rooms[i]
}

// forbidden returns why a package must not import another one, or "". The packages above all rooms may import any.
func forbidden(from, to string) string {
	r := roomOf(from)
	switch {
	case r.folder == "" && (within("harness", from) || within("reports", from)):
		return "it has no room"
	case r.folder == "":
		return ""
	case within(r.folder, to):
		for pkg, may := range inside {
			if within(pkg, from) && !slices.ContainsFunc(append(may, pkg), func(p string) bool {
				return within(p,
					to)
			}) {
				return "of its room it may import only " + strings.Join(may, ", ")
			}
		}
	case !slices.ContainsFunc(r.may, func(folder string) bool { return within(folder, to) }):
		return "it may import only " + strings.Join(r.may, ", ")
	}
	return ""
}

const picture = "docs/pictures/rooms.svg"

var update = flag.Bool("update", false, "write "+picture)

// TestPictureOfRooms draws a row for each room, and a dot in the column of each room that it may import. All dots are
// below the diagonal, because nothing lower imports anything higher.
func TestPictureOfRooms(t *testing.T) {
	g := NewWithT(t)
	drawn := drawRooms()
	if *update {
		g.Expect(os.WriteFile(filepath.FromSlash(picture), []byte(drawn), 0o644)).To(Succeed())
	}
	saved, err := os.ReadFile(filepath.FromSlash(picture))
	g.Expect(err).NotTo(HaveOccurred())
	if string(saved) != drawn {
		t.Errorf("%s does not show the rooms: write it with go test ./.ci/house -update", picture)
	}
}

func drawRooms() string {
	const side, left, top, right = 26, 150, 130, 420
	n := len(rooms)
	width, height := left+n*side+right, top+n*side+12
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" `+
		`font-size="13"><title>The rooms, and what each may import</title><rect width="100%%" height="100%%" fill="#fff"/>`+"\n",
		width, height)
	for i, r := range rooms {
		y, x := top+i*side, left+i*side
		if i%2 == 0 {
			fmt.Fprintf(&b, `<rect x="0" y="%d" width="%d" height="%d" fill="#f6f8fa"/>`+"\n", y, width, side)
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end" font-weight="600">%s</text>`, left-10, y+18, r.folder)
		fmt.Fprintf(&b, `<text x="%d" y="%d" fill="#57606a">%s</text>`, left+n*side+12, y+18, r.idea)
		fmt.Fprintf(&b, `<text transform="translate(%d %d) rotate(-60)">%s</text>`, x+16, top-8, r.folder)
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="#d0d7de"/>`+"\n", x+3, y+3, side-6, side-6)
		for _, other := range r.may {
			j := slices.IndexFunc(rooms, func(r room) bool { return r.folder == other })
			fmt.Fprintf(&b, `<circle cx="%d" cy="%d" r="6" fill="#0969da"><title>%s imports %s</title></circle>`+"\n",
				left+j*side+side/2, y+side/2, r.folder, other)
		}
	}
	return b.String() + "</svg>\n"
}
