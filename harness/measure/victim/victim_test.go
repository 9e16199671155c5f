package victim

import (
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega"
	"pgregory.net/rapid"
)

func TestScriptsAt(t *testing.T) {
	for _, c := range []struct {
		scripts     Scripts
		life, index int
		want        Answer
	}{
		{"", 1, 0, Succeed},
		{"", 7, 9, Succeed},
		{"SSF", 1, 0, Succeed},
		{"SSF", 1, 1, Succeed},
		{"SSF", 1, 2, Fail},
		{"SSF", 1, 99, Fail},
		{"SSF", 3, 0, Succeed},
		{"SSF/F", 2, 0, Fail},
		{"SSF/F", 9, 5, Fail},
		{"SSF/F/H", 3, 0, Hang},
		{"SSF/F", 0, 0, Succeed},
		{"LE", 1, 0, SlowAnswer},
		{"LE", 1, 1, Error},
		{"RDW", 1, 1, RedirectToFailure},
		{"RDW", 4, 7, RedirectAway},
	} {
		if got := c.scripts.At(c.life, c.index); got != c.want {
			t.Errorf("%q.At(%d, %d) = %s, want %s", c.scripts, c.life, c.index, got, c.want)
		}
	}
}

func TestScriptsAtIsTheLetterOrTheLastOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lives := rapid.SliceOfN(rapid.StringMatching("[SFHLERDPWONUAB]{1,5}"), 1, 4).Draw(t, "lives")
		life, index := rapid.IntRange(1, 6).Draw(t, "life"), rapid.IntRange(0, 7).Draw(t, "index")
		scripts := Scripts(strings.Join(lives, "/"))
		if err := scripts.Validate(); err != nil {
			t.Fatal(err)
		}
		script := lives[min(life, len(lives))-1]
		want := script[len(script)-1]
		if index < len(script) {
			want = script[index]
		}
		if got := scripts.At(life, index); got != Answer(want) {
			t.Fatalf("%q.At(%d, %d) = %s, want %c", scripts, life, index, got, want)
		}
	})
}

func TestWhatAnAnswerIs(t *testing.T) {
	g := gomega.NewWithT(t)
	for _, a := range []byte(answers) {
		g.Expect(Answer(a).Fails()).To(gomega.Equal(strings.ContainsRune("FHDPONU", rune(a))), "%c", a)
		g.Expect(Answer(a).HTTPOnly()).To(gomega.Equal(strings.ContainsRune("ERDPWOAB", rune(a))), "%c", a)
	}
}

// validRun draws behaviours that Validate accepts, over every field.
func validRun(t *rapid.T) Run {
	duration := rapid.Map(
		rapid.Int64Range(1, int64(time.Hour)), func(n int64) time.Duration { return time.Duration(n) },
	)
	scripts := func(letters, label string) Scripts {
		return Scripts(
			strings.Join(rapid.SliceOfN(rapid.StringMatching("["+letters+"]{1,4}"), 0, 3).Draw(t, label), "/"),
		)
	}
	r := Run{
		Term:     rapid.SampledFrom([]Term{"", Ignore, ExitNow, ExitAfter}).Draw(t, "term"),
		ExitCode: rapid.IntRange(0, ExitUsage-1).Draw(t, "exit code"),
		OOMAfter: rapid.OneOf(rapid.Just(time.Duration(0)), duration).Draw(t, "oom"),
		Slow:     duration.Draw(t, "slow"),
		Calls:    rapid.Bool().Draw(t, "calls"),
	}
	if r.Term == ExitAfter {
		r.TermDelay = duration.Draw(t, "delay")
	}
	if rapid.Bool().Draw(t, "exits") {
		r.ExitAfter = rapid.SliceOfN(
			rapid.OneOf(duration, rapid.Just(-time.Second), rapid.Just(time.Duration(0))), 1, 3).
			Draw(t, "exit after")
	}
	if rapid.Bool().Draw(t, "counts") {
		r.ExitAfterProbes = rapid.SliceOfN(rapid.IntRange(0, 5), 1, 3).Draw(t, "exit after probes")
	}
	if rapid.Bool().Draw(t, "codes") {
		r.ExitCode, r.ExitCodes = 0, rapid.SliceOfN(rapid.IntRange(0, ExitUsage-1), 1, 3).Draw(t, "exit codes")
	}
	if rapid.Bool().Draw(t, "ends sandbox") {
		r.EndSandboxAfter = []time.Duration{duration.Draw(t, "end sandbox after"), -time.Second}
	}
	r.Ballast = rapid.IntRange(0, maxBallast).Draw(t, "ballast")
	if rapid.Bool().Draw(t, "fills") {
		r.FillDir, r.FillAfter = "/data", rapid.OneOf(rapid.Just(time.Duration(0)), duration).Draw(t, "fill after")
		if amount := rapid.Int64Range(1, 1<<40).Draw(t, "amount"); rapid.Bool().Draw(t, "files") {
			r.FillFiles = amount
		} else {
			r.FillBytes = amount
		}
	}
	letters := "SFHL"
	if rapid.Bool().Draw(t, "http") {
		letters, r.HTTPPort = answers, 8080
		r.TLS = rapid.Bool().Draw(t, "TLS")
		r.H2C = !r.TLS && rapid.Bool().Draw(t, "h2c")
		if r.HookHang = rapid.Bool().Draw(t, "hook hangs"); !r.HookHang {
			r.HookSleep = duration.Draw(t, "hook sleeps")
		}
	}
	r.Liveness, r.Readiness = scripts(letters, "liveness"), scripts(letters, "readiness")
	if rapid.Bool().Draw(t, "tcp") {
		r.TCPPort, r.TCPFor, letters = 8081, Startup, "SFH"
		r.TCPTimeout = time.Second + duration.Draw(t, "TCP timeout")
	}
	r.Startup = scripts(letters, "startup")
	if rapid.Bool().Draw(t, "grpc") {
		r.GRPCPort = 8082
	}
	return r
}

func TestRunSurvivesItsArguments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := validRun(t)
		got, err := ParseRun(run.Args())
		gomega.NewWithT(t).Expect(err).NotTo(gomega.HaveOccurred())
		gomega.NewWithT(t).Expect(got).To(gomega.Equal(run), "%q", run.Args())
	})
}

func TestHookAndProbeSurviveTheirArguments(t *testing.T) {
	g := gomega.NewWithT(t)
	for _, hook := range []Hook{
		{}, {Sleep: 3500 * time.Millisecond}, {Hang: true}, {Sleep: time.Second, ExitCode: 3},
		{Hang: true, PostStart: true},
	} {
		got, err := ParseHook(hook.Args())
		g.Expect(err).NotTo(gomega.HaveOccurred())
		g.Expect(got).To(gomega.Equal(hook))
	}
	for _, probe := range []ExecProbe{{Liveness}, {Readiness}, {Startup}} {
		got, err := ParseExecProbe(probe.Args())
		g.Expect(err).NotTo(gomega.HaveOccurred())
		g.Expect(got).To(gomega.Equal(probe))
	}
}

// The spelling is what people read in a pod's spec.
func TestArgsSpelling(t *testing.T) {
	g := gomega.NewWithT(t)
	g.Expect(Run{}.Args()).To(gomega.Equal([]string{"run"}))
	g.Expect(Run{Term: Ignore, Liveness: "FFF", HTTPPort: 8080}.Args()).
		To(gomega.Equal([]string{"run", "--term=ignore", "--liveness=FFF", "--http-port=8080"}))
	g.Expect(Run{
		Term: ExitAfter, TermDelay: 2500 * time.Millisecond, ExitAfter: []time.Duration{time.Second, -1}, ExitCode: 3,
	}.Args()).
		To(gomega.Equal([]string{
			"run", "--term=exit-after", "--term-delay=2.5s", "--exit-after=1s,-1ns", "--exit-code=3",
		}))
	g.Expect(Run{HTTPPort: 80, HookHang: true, ExitAfterProbes: []int{2, 0}}.Args()).
		To(gomega.Equal([]string{"run", "--exit-after-probes=2,0", "--http-port=80", "--hook-hang"}))
	g.Expect(Run{
		FillDir: "/data", FillAfter: 2 * time.Second, FillBytes: 1 << 20, ExitCodes: []int{1, 0}, Ballast: 64,
	}.Args()).
		To(gomega.Equal([]string{
			"run", "--exit-codes=1,0", "--ballast=64", "--fill-dir=/data", "--fill-after=2s", "--fill-bytes=1048576",
		}))
	g.Expect(Hook{PostStart: true, ExitCode: 1}.Args()).
		To(gomega.Equal([]string{"hook", "--exit-code=1", "--post-start"}))
	g.Expect(Hook{Sleep: 3500 * time.Millisecond}.Args()).To(gomega.Equal([]string{"hook", "--sleep=3.5s"}))
	g.Expect(ExecProbe{For: Liveness}.Args()).To(gomega.Equal([]string{"probe", "--for=liveness"}))
}

func TestValidateNamesWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		args string
		want []string
	}{
		{"run --term=explode", []string{"--term=explode", "ignore"}},
		{"run --term=exit-after", []string{"--term-delay"}},
		{"run --term-delay=1s", []string{"--term-delay"}},
		{"run --liveness=SFX", []string{"--liveness", `'X'`, "letter 3", "life 1", "H (hang)"}},
		{"run --readiness=S//F", []string{"--readiness", "life 2 is empty"}},
		{"run --startup=/", []string{"--startup", "life 1 is empty"}},
		{"run --liveness=L", []string{"--slow"}},
		{"run --liveness=E", []string{"--http-port"}},
		{"run --http-port=70000", []string{"--http-port=70000", "65535"}},
		{"run --http-port=80 --grpc-port=80", []string{"--grpc-port=80", "--http-port"}},
		{"run --tcp-port=80", []string{"--tcp-for"}},
		{"run --tcp-for=liveness", []string{"--tcp-port"}},
		{"run --tcp-port=80 --tcp-for=life", []string{"--tcp-for", "life", "startup"}},
		{"run --tcp-port=80 --tcp-for=liveness --liveness=SL --slow=1s", []string{"handshake"}},
		{"run --hook-sleep=1s", []string{"--http-port"}},
		{"run --http-port=80 --hook-sleep=1s --hook-hang", []string{"--hook-hang"}},
		{"run --exit-code=256", []string{"--exit-code=256"}},
		{"run --exit-code=121", []string{"--exit-code=121", "itself"}},
		{"run --exit-codes=1,300", []string{"--exit-codes=300"}},
		{"run --exit-codes=1,123", []string{"--exit-codes=123", "itself"}},
		{"run --exit-code=1 --exit-codes=0,1", []string{"--exit-code=1", "--exit-codes"}},
		{"run --ballast=-1", []string{"--ballast=-1"}},
		{"run --ballast=2000", []string{"--ballast=2000", "1024 MiB"}},
		{"run --fill-bytes=5", []string{"--fill-dir"}},
		{"run --fill-after=5s", []string{"--fill-dir"}},
		{"run --fill-dir=/data", []string{"--fill-bytes", "--fill-files"}},
		{"run --fill-dir=/data --fill-bytes=1 --fill-files=1", []string{"--fill-bytes", "--fill-files"}},
		{"run --fill-dir=data --fill-bytes=1", []string{"--fill-dir=data", "absolute"}},
		{"run --fill-dir=/data --fill-bytes=-1", []string{"--fill-bytes=-1"}},
		{"run --fill-dir=/data --fill-files=1 --fill-after=-1s", []string{"--fill-after=-1s"}},
		{"run --readiness=SR", []string{"--readiness", "R, D, P, W", "--http-port"}},
		{"run --http-port=80 --tcp-port=81 --tcp-for=startup --startup=W", []string{"--startup", "handshake"}},
		{"run --exit-after-probes=-1", []string{"--exit-after-probes"}},
		{"run --exit-after=soon", []string{"soon"}},
		{"run --oom-after=-1s", []string{"--oom-after"}},
		{"run --frobnicate", []string{"frobnicate"}},
		{"run now", []string{`"now"`, "flags"}},
		{"hook --sleep=-1s", []string{"--sleep"}},
		{"hook --hang --sleep=1s", []string{"--hang"}},
		{"hook --exit-code=120", []string{"--exit-code=120"}},
		{"probe", []string{"--for"}},
		{"probe --for=health", []string{"health", "liveness"}},
	} {
		t.Run(c.args, func(t *testing.T) {
			g := gomega.NewWithT(t)
			args := strings.Fields(c.args)
			var err error
			switch args[0] {
			case RunCommand:
				_, err = ParseRun(args)
			case HookCommand:
				_, err = ParseHook(args)
			case ProbeCommand:
				_, err = ParseExecProbe(args)
			}
			g.Expect(err).To(gomega.HaveOccurred())
			for _, part := range append(c.want, "fault "+args[0]) {
				g.Expect(err.Error()).To(gomega.ContainSubstring(part))
			}
		})
	}
	_, err := ParseRun([]string{"hook"})
	gomega.NewWithT(t).Expect(err).To(gomega.MatchError(gomega.ContainSubstring(`"run"`)))
}

func TestPerLifeEntries(t *testing.T) {
	g := gomega.NewWithT(t)
	run := Run{ExitAfter: []time.Duration{time.Second, -1}, ExitAfterProbes: []int{0, 2}, ExitCodes: []int{1, 0}}
	g.Expect([]int{run.ExitCodeIn(1), run.ExitCodeIn(2), run.ExitCodeIn(3)}).To(gomega.Equal([]int{1, 0, 0}))
	g.Expect(Run{ExitCode: 7}.ExitCodeIn(2)).To(gomega.Equal(7))
	after, ok := run.ExitAfterIn(1)
	g.Expect(after).To(gomega.Equal(time.Second))
	g.Expect(ok).To(gomega.BeTrue())
	for _, life := range []int{2, 5} {
		_, ok = run.ExitAfterIn(life)
		g.Expect(ok).To(gomega.BeFalse())
		g.Expect(run.ExitAfterProbesIn(life)).To(gomega.Equal(2))
	}
	g.Expect(run.ExitAfterProbesIn(1)).To(gomega.Equal(0))
	_, ok = Run{}.ExitAfterIn(1)
	g.Expect(ok).To(gomega.BeFalse())
	g.Expect(Run{}.ExitAfterProbesIn(1)).To(gomega.Equal(0))
}
