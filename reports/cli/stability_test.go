package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/mod/semver"

	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/fixture"
)

// recorded is the folder with the surface of each release.
const recorded = "../../docs/stability"

var release = flag.String("release", "", "record the surface of this release, such as v0.1.0, for TestStability")

// TestStability fails if something that the last release had is gone or means something else, and CHANGELOG.md does not
// announce that for a version that may break it. docs/stability.md has the rules.
func TestStability(t *testing.T) {
	g := NewWithT(t)
	if *release != "" {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		g.Expect(encoder.Encode(presentSurface())).To(Succeed())
		g.Expect(os.WriteFile(filepath.Join(recorded, *release+".json"), text.Bytes(), 0o644)).To(Succeed())
	}
	files, err := filepath.Glob(filepath.Join(recorded, "v*.json"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(files).NotTo(BeEmpty())
	versionOf := func(file string) string { return strings.TrimSuffix(filepath.Base(file), ".json") }
	newest := slices.MaxFunc(files, func(a, b string) int { return semver.Compare(versionOf(a), versionOf(b)) })
	text, err := os.ReadFile(newest)
	g.Expect(err).NotTo(HaveOccurred())
	var had surface
	g.Expect(json.Unmarshal(text, &had)).To(Succeed())
	changelog, err := os.ReadFile("../../CHANGELOG.md")
	g.Expect(err).NotTo(HaveOccurred())
	for _, version := range released.FindAllStringSubmatch(string(changelog), -1) {
		g.Expect(files).To(ContainElement(filepath.Join(recorded, version[1]+".json")), "record it with -release")
	}
	for _, broken := range had.broken(presentSurface(), versionOf(newest), string(changelog)) {
		t.Error(broken)
	}
}

// The versions of a changelog.
var (
	unreleased = regexp.MustCompile(`(?ms)^## (v\S+) \(unreleased\)\n(.*?)(^## |\z)`)
	released   = regexp.MustCompile(`(?m)^## (v\S+) - `)
)

// broken returns a sentence for each thing of the last release that is gone or means something else now. What the
// changelog names is left out if its unreleased version may break it. Things that are new break nothing.
func (s surface) broken(now surface, last, changelog string) (sentences []string) {
	next, announced := "", ""
	if found := unreleased.FindStringSubmatch(changelog); found != nil {
		next, announced = found[1], found[2]
	}
	breaking := semver.Compare(next, breakingAfter(last)) >= 0
	remedy := fmt.Sprintf("raise the unreleased version of CHANGELOG.md from %q to %s", next, breakingAfter(last))
	if breaking {
		remedy = "that is enough for " + next
	}
	if next == last {
		remedy += fmt.Sprintf("; as long as %s is not released, "+
			"go test ./reports/cli -run TestStability -release=%[1]s records it again", last)
	}
	for _, kind := range slices.Sorted(maps.Keys(s)) {
		for _, name := range slices.Sorted(maps.Keys(s[kind])) {
			was := s[kind][name]
			is, there := now[kind][name]
			same := there && (is == was || is+orAbsent == was)
			if same || breaking && strings.Contains(announced, "`"+name+"`") {
				continue
			}
			found := "is gone"
			if there {
				found = fmt.Sprintf("is now: %s", is)
			}
			const format = "%s: `%s` of %s (%s) %s. Keep it, or name `%[2]s` under Removed or Changed in " +
				"CHANGELOG.md, and %[6]s"
			sentences = append(sentences, fmt.Sprintf(format, kind, name, last, was, found, remedy))
		}
	}
	return sentences
}

// breakingAfter returns the first version that may break what a release has: before v1.0.0 the next minor version, from
// then on the next major one.
func breakingAfter(last string) string {
	var major, minor int
	_, _ = fmt.Sscanf(last, "v%d.%d", &major, &minor) // the name of a recorded file
	if major == 0 {
		return fmt.Sprintf("v0.%d.0", minor+1)
	}
	return fmt.Sprintf("v%d.0.0", major+1)
}

func TestBroken(t *testing.T) {
	const keep, field, property = "podclock run --keep", "outcomes[].trial", "testsuite podclock.run, property run"
	had := surface{
		flagKind: {keep: `bool, default "false"`}, exitKind: {"1": "bad"},
		runKind: {field: "string", "problems": "array or absent"}, junitKind: {property: "text"},
	}
	changelog := func(version, text string) string {
		return "# Changelog\n\n## " + version + " (unreleased)\n\n" + text + "\n\n## v1.4.0 - 2026-12-01\n\n- `" +
			keep + "`\n"
	}
	const removed, remedy = "### Removed\n\n- `" + keep + "`", "Keep it, or name `" + keep + "` under Removed or " +
		"Changed in CHANGELOG.md, and "
	without := func(kind, name string) func(surface) { return func(s surface) { delete(s[kind], name) } }
	as := func(kind, name, meaning string) func(surface) { return func(s surface) { s.add(kind, name, meaning) } }
	for name, tt := range map[string]struct {
		change    func(surface)
		changelog string
		says      []string
	}{
		"nothing":      {func(surface) {}, "", nil},
		"added":        {as(flagKind, "podclock run --colour", "bool"), "", nil},
		"a kind added": {as("pictures", "lanes", "a picture"), "", nil},
		"always there": {as(runKind, "problems", "array"), "", nil},
		"removed": {without(flagKind, keep), "", []string{
			"flags: `podclock run --keep` of v1.4.0 (bool, default \"false\") is gone. " + remedy +
				"raise the unreleased version of CHANGELOG.md from \"v1.5.0\" to v2.0.0",
		}},
		"a kind removed": {func(s surface) { delete(s, junitKind) }, "", []string{"run` of v1.4.0 (text) is gone"}},
		"renamed": {func(s surface) {
			delete(s[junitKind], property)
			s.add(junitKind, property+"-id", "text")
		}, "", []string{"junit.xml: `" + property + "` of v1.4.0 (text) is gone"}},
		"another default": {as(flagKind, keep, `bool, default "true"`), "",
			[]string{`(bool, default "false") is now: bool, default "true"`}},
		"another type":    {as(runKind, field, "number"), "", []string{"(string) is now: number"}},
		"absent now":      {as(runKind, field, "string or absent"), "", []string{"(string) is now: string or absent"}},
		"another meaning": {as(exitKind, "1", "unknown"), "", []string{"`1` of v1.4.0 (bad) is now: unknown"}},
		"two": {func(s surface) {
			delete(s[flagKind], keep)
			delete(s[exitKind], "1")
		}, "", []string{"exit codes", "flags"}},
		"announced too early":      {without(flagKind, keep), changelog("v1.5.0", removed), []string{"to v2.0.0"}},
		"not announced":            {without(flagKind, keep), changelog("v2.0.0", ""), []string{remedy}},
		"announced":                {without(flagKind, keep), changelog("v2.0.0", removed), nil},
		"another one is announced": {without(runKind, field), changelog("v2.0.0", removed), []string{field}},
		"not released": {without(flagKind, keep), changelog("v1.4.0", ""),
			[]string{"as long as v1.4.0 is not released, go test ./reports/cli -run TestStability -release=v1.4.0"}},
	} {
		t.Run(name, func(t *testing.T) {
			now := surface{}
			for kind, names := range had {
				now[kind] = maps.Clone(names)
			}
			tt.change(now)
			got := had.broken(now, "v1.4.0", cmp.Or(tt.changelog, changelog("v1.5.0", "")))
			NewWithT(t).Expect(got).To(HaveLen(len(tt.says)))
			for i, says := range tt.says {
				NewWithT(t).Expect(got[i]).To(ContainSubstring(says))
			}
		})
	}
}

func TestBreakingAfter(t *testing.T) {
	g := NewWithT(t)
	g.Expect(breakingAfter("v0.1.0")).To(Equal("v0.2.0"))
	g.Expect(breakingAfter("v1.4.2")).To(Equal("v2.0.0"))
}

// TestSurfaceHasWhatIsWritten compares the fields of the Go types with a file that podclock writes.
func TestSurfaceHasWhatIsWritten(t *testing.T) {
	g := NewWithT(t)
	dir, r := t.TempDir(), fixture.BothLanes()
	g.Expect(runs.Save(dir, r, view.FiguresOf(r))).To(Succeed())
	text, err := os.ReadFile(filepath.Join(dir, runs.RunFile))
	g.Expect(err).NotTo(HaveOccurred())
	var document any
	g.Expect(json.Unmarshal(text, &document)).To(Succeed())
	has := presentSurface()[runKind]
	var compare func(path string, value any)
	compare = func(path string, value any) {
		is := strings.TrimSuffix(cmp.Or(has[path], map[bool]string{true: "object"}[path == ""]), orAbsent)
		if is == "anything" {
			return
		}
		switch v := value.(type) {
		case map[string]any:
			g.Expect(is).To(Equal("object"), path)
			_, free := has[path+".*"]
			for name, field := range v {
				if free {
					name = "*"
				}
				compare(strings.TrimPrefix(path+"."+name, "."), field)
			}
		case []any:
			g.Expect(is).To(Equal("array"), path)
			for _, element := range v {
				if _, nested := has[path+"[]"]; nested {
					compare(path+"[]", element)
				}
			}
		case nil:
		default:
			want := map[string]string{"string": "string", "float64": "number", "bool": "boolean"}[fmt.Sprintf("%T", v)]
			g.Expect(is).To(Equal(want), path)
		}
	}
	compare("", document)
}
