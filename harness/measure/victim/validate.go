package victim

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Validate reports contradictions and meaningless values. Valid behaviour passes Args and ParseRun unchanged.
func (r Run) Validate() error {
	for _, check := range []func() error{r.validateEnd, r.validateLoad, r.validateScripts, r.validatePorts} {
		if err := check(); err != nil {
			return fmt.Errorf("fault %s: %w", RunCommand, err)
		}
	}
	return nil
}

func (r Run) validateEnd() error {
	switch r.Term {
	case "", Ignore, ExitNow, ExitAfter:
	default:
		return fmt.Errorf("--term=%s: it is %s, %s or %s", r.Term, Ignore, ExitNow, ExitAfter)
	}
	if (r.Term == ExitAfter) != (r.TermDelay > 0) {
		return fmt.Errorf(
			"--term=%s needs a positive --term-delay, and no other --term has one (it is %s)", ExitAfter, r.TermDelay,
		)
	}
	if slices.ContainsFunc(r.ExitAfterProbes, func(n int) bool { return n < 0 }) {
		return fmt.Errorf("--exit-after-probes=%v: a number of probes is not negative; 0 is never", r.ExitAfterProbes)
	}
	if r.ExitCode != 0 && len(r.ExitCodes) > 0 {
		return fmt.Errorf("--exit-code=%d --exit-codes=%v: set only one of them", r.ExitCode, r.ExitCodes)
	}
	for _, code := range r.ExitCodes {
		if err := validateExitCode("--exit-codes", code); err != nil {
			return err
		}
	}
	return validateExitCode("--exit-code", r.ExitCode)
}

// maxBallast, in MiB, protects the node.
const maxBallast = 1024

func (r Run) validateLoad() error {
	if r.OOMAfter < 0 {
		return fmt.Errorf("--oom-after=%s: it is not negative", r.OOMAfter)
	}
	if r.Ballast < 0 || r.Ballast > maxBallast {
		return fmt.Errorf("--ballast=%d: it is 0 to %d MiB", r.Ballast, maxBallast)
	}
	if r.FillAfter < 0 || r.FillBytes < 0 || r.FillFiles < 0 {
		return fmt.Errorf(
			"--fill-after=%s --fill-bytes=%d --fill-files=%d: none is negative", r.FillAfter, r.FillBytes, r.FillFiles,
		)
	}
	if r.FillDir == "" {
		if r.FillAfter > 0 || r.FillBytes > 0 || r.FillFiles > 0 {
			return fmt.Errorf("--fill-after, --fill-bytes and --fill-files need --fill-dir")
		}
		return nil
	}
	if !path.IsAbs(r.FillDir) {
		return fmt.Errorf("--fill-dir=%s: it must be absolute", r.FillDir)
	}
	if (r.FillBytes > 0) == (r.FillFiles > 0) {
		return fmt.Errorf(
			"--fill-dir=%s needs either --fill-bytes or --fill-files (they are %d and %d)", r.FillDir,
			r.FillBytes, r.FillFiles,
		)
	}
	return nil
}

func (r Run) validateScripts() error {
	if r.Slow < 0 {
		return fmt.Errorf("--slow=%s: it is not negative", r.Slow)
	}
	for _, probe := range []string{Liveness, Readiness, Startup} {
		script := r.Script(probe)
		if err := script.Validate(); err != nil {
			return fmt.Errorf("--%s: %w", probe, err)
		}
		if script.Has(SlowAnswer) && r.Slow == 0 {
			return fmt.Errorf("--%s=%s: an L (slow) answer needs --slow", probe, script)
		}
		if script.hasHTTPOnly() && r.HTTPPort == 0 {
			return fmt.Errorf(
				"--%s=%s: only an HTTP probe has the answers E (error), A (asked), B (big body) and R, D, P, W, O "+
					"(redirects), and there is no --http-port", probe, script,
			)
		}
		if script.hasStatus() && r.HTTPPort == 0 && r.GRPCPort == 0 {
			return fmt.Errorf(
				"--%s=%s: only HTTP and gRPC probes have the answers N (not found) and U (unimplemented), and there "+
					"is no --http-port or --grpc-port", probe, script,
			)
		}
	}
	return nil
}

func (r Run) validatePorts() error {
	taken := map[int]string{}
	for _, port := range []struct {
		flag   string
		number int
	}{{"--http-port", r.HTTPPort}, {"--tcp-port", r.TCPPort}, {"--grpc-port", r.GRPCPort}} {
		if port.number < 0 || port.number > 65535 {
			return fmt.Errorf("%s=%d: a port is 1 to 65535, and 0 is none", port.flag, port.number)
		}
		if other := taken[port.number]; other != "" && port.number != 0 {
			return fmt.Errorf("%s=%d: %s has the same port", port.flag, port.number, other)
		}
		taken[port.number] = port.flag
	}
	if (r.TCPPort != 0) != (r.TCPFor != "") {
		return fmt.Errorf("--tcp-port=%d and --tcp-for=%q: one needs the other", r.TCPPort, r.TCPFor)
	}
	if r.TCPFor != "" {
		if err := validateProbe("--tcp-for", r.TCPFor); err != nil {
			return err
		}
		if script := r.Script(r.TCPFor); script.Has(SlowAnswer) || script.hasHTTPOnly() || script.hasStatus() {
			return fmt.Errorf(
				"--%s=%s: a TCP probe ends with the handshake; its answers are S, F and H", r.TCPFor, script,
			)
		} else if script.Has(Hang) && r.TCPTimeout <= 0 {
			return fmt.Errorf(
				"--%s=%s --tcp-timeout=%s: a TCP port that hangs needs a positive --tcp-timeout, how long its prober "+
					"waits", r.TCPFor, script, r.TCPTimeout,
			)
		}
	}
	if r.TLS && r.HTTPPort == 0 && r.GRPCPort == 0 {
		return fmt.Errorf("--tls is for the HTTP and the gRPC port, and there is no --http-port or --grpc-port")
	}
	if r.H2C && (r.HTTPPort == 0 || r.TLS) {
		return fmt.Errorf("--h2c is for an HTTP port in the clear: it needs --http-port, and no --tls")
	}
	if r.HookSleep < 0 {
		return fmt.Errorf("--hook-sleep=%s: it is not negative", r.HookSleep)
	}
	if (r.HookSleep > 0 || r.HookHang) && r.HTTPPort == 0 {
		return fmt.Errorf("--hook-sleep and --hook-hang are for the HTTP hook, and there is no --http-port")
	}
	if r.HookSleep > 0 && r.HookHang {
		return fmt.Errorf("--hook-sleep=%s: a hook that hangs (--hook-hang) has no duration", r.HookSleep)
	}
	return nil
}

// Validate reports what is wrong with the hook.
func (h Hook) Validate() error {
	if h.Sleep < 0 {
		return fmt.Errorf("fault %s: --sleep=%s: it is not negative", HookCommand, h.Sleep)
	}
	if h.Hang && (h.Sleep != 0 || h.ExitCode != 0) {
		return fmt.Errorf("fault %s: a hook that hangs (--hang) has no --sleep and no --exit-code", HookCommand)
	}
	if err := validateExitCode("--exit-code", h.ExitCode); err != nil {
		return fmt.Errorf("fault %s: %w", HookCommand, err)
	}
	return nil
}

// Validate reports what is wrong with the probe.
func (p ExecProbe) Validate() error {
	if err := validateProbe("--for", p.For); err != nil {
		return fmt.Errorf("fault %s: %w", ProbeCommand, err)
	}
	return nil
}

func validateProbe(flag, probe string) error {
	if probes := []string{Liveness, Readiness, Startup}; !slices.Contains(probes, probe) {
		return fmt.Errorf("%s=%q: it is one of %s", flag, probe, strings.Join(probes, ", "))
	}
	return nil
}

func validateExitCode(flag string, code int) error {
	if code < 0 || code > 255 {
		return fmt.Errorf("%s=%d: it is 0 to 255", flag, code)
	}
	if code >= ExitUsage && code <= ExitNotKilled {
		return fmt.Errorf(
			"%s=%d: %d to %d are for failures of the fault program itself", flag, code, ExitUsage, ExitNotKilled,
		)
	}
	return nil
}
