package builder

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

// How goschedImpl puts a goroutine into the global queue.
const yields = "\t\tlock(&sched.lock)\n\t\tglobrunqput(gp)\n\t\tunlock(&sched.lock)\n\t}\n\n\tif mainStarted"

// order returns the edits that make a bubble of testing/synctest run in one order. With one processor, Go's scheduler
// is a queue. What remains arbitrary in Go 1.26 is listed here.
func order() []edit {
	return []edit{
		// The seeds at the start of a program, such as those of the maps of package variables.
		{"runtime/rand.go", "globalRand.state.Init(*seed)", "*seed = [32]byte{1}\n\tglobalRand.state.Init(*seed)"},
		// Maps: their seeds, and where an iteration begins.
		{
			"runtime/rand.go", "func maps_rand() uint64 {\n\treturn rand()",
			"func maps_rand() uint64 {\n\treturn mapSeed()",
		},
		{
			"runtime/rand.go", "func rand() uint64 {\n",
			"func rand() uint64 {\n\tif getg().bubble != nil {\n\t\treturn mapSeed()\n\t}\n",
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
		// The scheduler: a goroutine that yields goes to the end of the processor's own queue. The global queue has its
		// turn whenever goroutines were scheduled 61 times, and those outside of the bubble follow real time.
		{
			"runtime/proc.go", "\t} else {\n" + yields,
			"\t} else if gp.bubble != nil && !preempted {\n\t\trunqput(pp, gp, false)\n\t} else {\n" + yields,
		},
		// A goroutine outside of the bubble, such as the watchdog's each second of real time, is ready at the end of
		// the queue. Else it runs next, and what would have run next goes to the end.
		{"runtime/proc.go", "runqput(mp.p.ptr(), gp, next)", "runqput(mp.p.ptr(), gp, next && gp.bubble != nil)"},
		// Another goroutine runs after 10 ms of real time, or 20 µs in a system call. So the order depends on the
		// host's load. A loop that never ends is preempted after 5 s, for the watchdog.
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
