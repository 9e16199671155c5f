package victim

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// Args returns the fault program's arguments for this behaviour, without values that are zero.
func (r Run) Args() []string { return arguments(RunCommand, r.flags(), new(Run).flags()) }

// Args returns the arguments of the hook.
func (h Hook) Args() []string { return arguments(HookCommand, h.flags(), new(Hook).flags()) }

// Args returns the arguments of the probe.
func (p ExecProbe) Args() []string {
	return arguments(ProbeCommand, p.flags(), new(ExecProbe).flags())
}

// ParseRun reads and validates what Run.Args wrote.
func ParseRun(args []string) (r Run, err error) {
	if err := parse(RunCommand, args, r.flags()); err != nil {
		return Run{}, err
	}
	return r, r.Validate()
}

// ParseHook reads and validates what Hook.Args wrote.
func ParseHook(args []string) (h Hook, err error) {
	if err := parse(HookCommand, args, h.flags()); err != nil {
		return Hook{}, err
	}
	return h, h.Validate()
}

// ParseExecProbe reads and validates what ExecProbe.Args wrote.
func ParseExecProbe(args []string) (p ExecProbe, err error) {
	if err := parse(ProbeCommand, args, p.flags()); err != nil {
		return ExecProbe{}, err
	}
	return p, p.Validate()
}

// flags binds the command line to r, whose values are the defaults. One table serves both directions: it parses
// into a zero value, and writes the defaults that differ from zero.
func (r *Run) flags() *pflag.FlagSet {
	f := flagSet(RunCommand)
	f.StringVar((*string)(&r.Term), "term", string(r.Term), "what SIGTERM does: ignore, exit, exit-after")
	f.DurationVar(
		&r.TermDelay, "term-delay", r.TermDelay, "how long after the first SIGTERM to exit, with --term=exit-after",
	)
	f.DurationSliceVar(
		&r.ExitAfter, "exit-after", r.ExitAfter,
		"exit by itself this long after the start; one entry per life, negative for not in this life",
	)
	f.IntSliceVar(
		&r.ExitAfterProbes, "exit-after-probes", r.ExitAfterProbes,
		"exit by itself after this many liveness probes; one entry per life, 0 for not in this life",
	)
	f.IntVar(&r.ExitCode, "exit-code", r.ExitCode, "exit code of an exit by itself or on SIGTERM")
	f.IntSliceVar(&r.ExitCodes, "exit-codes", r.ExitCodes, "the exit code of each life, instead of --exit-code")
	f.DurationSliceVar(
		&r.EndSandboxAfter, "end-sandbox-after", r.EndSandboxAfter,
		"end the pod's sandbox this long after the start; one entry per life, negative for not in this life",
	)
	f.DurationVar(&r.OOMAfter, "oom-after", r.OOMAfter, "allocate memory without bound this long after the start")
	f.StringVar(&r.Message, "message", r.Message, "write this to the termination message file")
	f.StringVar(&r.Log, "log", r.Log, "write this line to the log")
	f.IntVar(&r.Ballast, "ballast", r.Ballast, "keep this many MiB of memory resident")
	f.StringVar(&r.FillDir, "fill-dir", r.FillDir, "fill this folder, by --fill-bytes or --fill-files")
	f.DurationVar(&r.FillAfter, "fill-after", r.FillAfter, "how long after the start to fill")
	f.Int64Var(&r.FillBytes, "fill-bytes", r.FillBytes, "write this many bytes to one file")
	f.Int64Var(&r.FillFiles, "fill-files", r.FillFiles, "make this many empty files")
	f.StringVar(
		(*string)(&r.Liveness), "liveness", string(r.Liveness), "script of the liveness probes, such as SSF/FFF",
	)
	f.StringVar((*string)(&r.Readiness), "readiness", string(r.Readiness), "script of the readiness probes")
	f.StringVar((*string)(&r.Startup), "startup", string(r.Startup), "script of the startup probes")
	f.DurationVar(&r.Slow, "slow", r.Slow, "how long an L (slow) answer takes")
	f.IntVar(&r.HTTPPort, "http-port", r.HTTPPort, "serve HTTP probes and the HTTP hook here")
	f.BoolVar(&r.TLS, "tls", r.TLS, "encrypt what is served on --http-port and --grpc-port")
	f.BoolVar(&r.H2C, "h2c", r.H2C, "serve only HTTP/2 in the clear on --http-port")
	f.IntVar(&r.TCPPort, "tcp-port", r.TCPPort, "serve TCP probes here")
	f.StringVar(&r.TCPFor, "tcp-for", r.TCPFor, "whose script the TCP port follows: liveness, readiness, startup")
	f.DurationVar(
		&r.TCPTimeout, "tcp-timeout", r.TCPTimeout,
		"how long the prober of the TCP port waits; a probe without an answer blocks the port for so long",
	)
	f.IntVar(&r.GRPCPort, "grpc-port", r.GRPCPort, "serve gRPC probes here")
	f.DurationVar(&r.HookSleep, "hook-sleep", r.HookSleep, "how long the HTTP hook takes")
	f.BoolVar(&r.HookHang, "hook-hang", r.HookHang, "the HTTP hook never ends")
	f.BoolVar(&r.Calls, "calls", r.Calls, "request from the Service in "+EnvService+" without a pause")
	return f
}

func (h *Hook) flags() *pflag.FlagSet {
	f := flagSet(HookCommand)
	f.DurationVar(&h.Sleep, "sleep", h.Sleep, "how long the hook takes")
	f.BoolVar(&h.Hang, "hang", h.Hang, "the hook never ends")
	f.IntVar(&h.ExitCode, "exit-code", h.ExitCode, "how the hook ends")
	f.BoolVar(&h.PostStart, "post-start", h.PostStart, "it is a postStart hook")
	return f
}

func (p *ExecProbe) flags() *pflag.FlagSet {
	f := flagSet(ProbeCommand)
	f.StringVar(&p.For, "for", p.For, "whose script to follow: liveness, readiness, startup")
	return f
}

// flagSet keeps the order of the table.
func flagSet(command string) *pflag.FlagSet {
	f := pflag.NewFlagSet(command, pflag.ContinueOnError)
	f.SortFlags = false
	f.Usage = func() {}
	return f
}

func arguments(command string, set, zero *pflag.FlagSet) []string {
	args := []string{command}
	set.VisitAll(func(flag *pflag.Flag) {
		switch value := flag.Value.(type) {
		case pflag.SliceValue:
			if entries := value.GetSlice(); len(entries) > 0 {
				args = append(args, "--"+flag.Name+"="+strings.Join(entries, ","))
			}
		default:
			switch {
			case flag.DefValue == zero.Lookup(flag.Name).DefValue:
			case flag.DefValue == flag.NoOptDefVal:
				args = append(args, "--"+flag.Name)
			default:
				args = append(args, "--"+flag.Name+"="+flag.DefValue)
			}
		}
	})
	return args
}

func parse(command string, args []string, f *pflag.FlagSet) error {
	if len(args) == 0 || args[0] != command {
		return fmt.Errorf("arguments %q: the first must be %q", args, command)
	}
	if err := f.Parse(args[1:]); err != nil {
		return fmt.Errorf("fault %s: %w", command, err)
	}
	if f.NArg() > 0 {
		return fmt.Errorf("fault %s: unexpected argument %q: the program takes flags only", command, f.Arg(0))
	}
	return nil
}
