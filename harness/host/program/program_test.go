package program

import (
	"runtime/debug"
	"testing"

	. "github.com/onsi/gomega"
)

func TestProgram(t *testing.T) {
	commit := []debug.BuildSetting{
		{Key: "vcs.revision", Value: "646503c2aabbccddeeff00112233445566778899"},
		{Key: "vcs.time", Value: "2026-11-26T12:00:00Z"},
	}
	for name, tt := range map[string]struct {
		stamped    debug.BuildInfo
		name, says string
	}{
		"a release": {
			debug.BuildInfo{Main: debug.Module{Version: "v0.4.0"}, Settings: commit}, "646503c2aabb",
			"podclock v0.4.0, commit 646503c2aabbccddeeff00112233445566778899 of 2026-11-26T12:00:00Z, built with go",
		},
		"a changed checkout": {
			debug.BuildInfo{
				Main:     debug.Module{Version: "v0.0.0-20261126120000-646503c2aabb+dirty"},
				Settings: append(commit[:2:2], debug.BuildSetting{Key: "vcs.modified", Value: "true"}),
			},
			"646503c2aabb-dirty", "commit 646503c2aabbccddeeff00112233445566778899-dirty of 2026",
		},
		"from the module proxy": {
			debug.BuildInfo{Main: debug.Module{Version: "v0.4.0"}}, "v0.4.0", "podclock v0.4.0, built with go",
		},
		"nothing is known": {debug.BuildInfo{}, "(devel)", "podclock (devel), built with go"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			i := Of(&tt.stamped)
			g.Expect(i.Name()).To(Equal(tt.name))
			g.Expect(i.String()).To(ContainSubstring(tt.says))
		})
	}
}
