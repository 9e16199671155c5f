package builder

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/podclock/podclock/harness/kubelet"
)

// runtimeHook is the content of runtimeFile, which Go does not have.
const (
	runtimeHook = "harness/virtual/hooks/runtime.go.txt"
	runtimeFile = "runtime/virtual.go"
)

// edit replaces a text that occurs once in a file of Go's own source.
type edit struct{ file, now, other string }

// How a package uses the runtime's random numbers, and those of runtimeHook.
const (
	linksRand = "//go:linkname runtime_rand runtime.rand"
	linksDraw = "//go:linkname runtime_rand runtime.virtualDraw"
)

// order returns the edits that make a bubble of testing/synctest run in one order. With one processor, Go's scheduler
// is a queue. What remains arbitrary in Go 1.26 is listed here.
func order() []edit {
	return []edit{
		// The seeds at the start of a program, such as those of the maps of package variables.
		{"runtime/rand.go", "globalRand.state.Init(*seed)", "*seed = [32]byte{1}\n\tglobalRand.state.Init(*seed)"},
		// Maps: their seeds, and where an iteration begins.
		{
			"runtime/rand.go", "func maps_rand() uint64 {\n\treturn rand()",
			"func maps_rand() uint64 {\n\treturn mapSeed",
		},
		{
			"runtime/rand.go", "func rand() uint64 {\n",
			"func rand() uint64 {\n\tif getg().bubble != nil {\n\t\treturn mapSeed\n\t}\n",
		},
		// Random numbers and names.
		{"math/rand/rand.go", linksRand, linksDraw},
		{"math/rand/v2/rand.go", linksRand, linksDraw},
		{"os/tempfile.go", linksRand, linksDraw},
		{
			"runtime/runtime2.go", "\tbubble  *synctestBubble\n",
			"\tbubble  *synctestBubble\n\tdrawnAt int64\n\tdrawn   uint64\n",
		},
		{
			"runtime/proc.go", "newg.bubble = callergp.bubble\n",
			"newg.bubble = callergp.bubble\n\t\tnewg.drawnAt, newg.drawn = 0, 0\n",
		},
		// Timers of one instant, and selects with more than one ready case.
		{"runtime/time.go", "t.rand = cheaprand()", "t.rand = virtualTimer()"},
		{"runtime/select.go", "j := cheaprandn(uint32(norder + 1))", "j := virtualCase(gp, norder)"},
		{
			"runtime/select.go", "pollorder = pollorder[:norder]\n",
			"pollorder = pollorder[:norder]\n\tvirtualSelect(gp, pollorder)\n",
		},
		// Mutexes: a goroutine that waits for a millisecond of real time is preferred.
		{
			"runtime/sema.go", "func internal_sync_nanotime() int64 {\n",
			"func internal_sync_nanotime() int64 {\n\tif getg().bubble != nil {\n\t\treturn 1\n\t}\n",
		},
		// The scheduler: another goroutine runs after 10 ms of real time, or 20 µs in a system call. So the order
		// depends on the host's load. A loop that never ends is preempted after 5 s, for the watchdog.
		{
			"runtime/proc.go", "const forcePreemptNS = 10 * 1000 * 1000 // 10ms",
			"const forcePreemptNS = 5 * 1000 * 1000 * 1000",
		},
		{
			"runtime/proc.go", "if syst := int64(pp.syscalltick); !sysretake && int64(pd.syscalltick) != syst {",
			"if syst := int64(pp.syscalltick); !sysretake {",
		},
	}
}

// overlay writes the edited files of Go's own source to a folder, and returns the file for the flag -overlay.
func (r recipe) overlay(ctx context.Context, work string) (string, error) {
	root, err := kubelet.Output(goCommand(ctx, work, "env", "GOROOT"))
	if err != nil {
		return "", fmt.Errorf("finding the source of Go: %w", err)
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "src")
	files := map[string]string{runtimeFile: string(r.virtual[runtimeHook])}
	for _, e := range order() {
		text, ok := files[e.file]
		if !ok {
			original, err := os.ReadFile(filepath.Join(source, filepath.FromSlash(e.file)))
			if err != nil {
				return "", fmt.Errorf("reading the source of Go: %w", err)
			}
			text = string(original)
		}
		if n := strings.Count(text, e.now); n != 1 {
			const format = "%s of %s has the code %q %d times, not once: virtual nodes need Go 1.26, " +
				"or an edit for this version (harness/kubelet/builder/order.go)"
			return "", fmt.Errorf(format, e.file, r.toolchain, e.now, n)
		}
		files[e.file] = strings.Replace(text, e.now, e.other, 1)
	}
	folder := filepath.Join(work, "goroot")
	replace := map[string]string{}
	for file, text := range files {
		to := filepath.Join(folder, filepath.FromSlash(file))
		err := os.MkdirAll(filepath.Dir(to), 0o755)
		if err == nil {
			err = os.WriteFile(to, []byte(text), 0o644)
		}
		if err != nil {
			return "", fmt.Errorf("writing the edited source of Go: %w", err)
		}
		replace[filepath.Join(source, filepath.FromSlash(file))] = to
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	path := filepath.Join(folder, "overlay.json")
	if err == nil {
		err = os.WriteFile(path, list, 0o644)
	}
	if err != nil {
		return "", fmt.Errorf("writing the edited source of Go: %w", err)
	}
	return path, nil
}
