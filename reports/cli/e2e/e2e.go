// Package e2e makes podclock's image run like the conformance image of Kubernetes, so that hydrophone and Sonobuoy
// start it unchanged: by the same variables, with the same files. It judges nothing.
package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/reports/cli/internal/delivery"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/render/folder"
	"github.com/podclock/podclock/reports/render/junit"
	"github.com/podclock/podclock/reports/view"
)

// Command returns the command. program is the file of podclock, "" for the running one.
func Command(program string) *cobra.Command {
	return &cobra.Command{
		Use:   "run",
		Short: "run like the conformance image of Kubernetes, for hydrophone and Sonobuoy",
		Long: "Run in a pod like the conformance image of Kubernetes. podclock's own image " +
			"does this if it gets no arguments. E2E_FOCUS, E2E_SKIP and KUBE_TEST_REPO are --focus, --skip and " +
			"--images of podclock run, and E2E_DRYRUN is --ginkgo.dry-run. E2E_EXTRA_ARGS are further flags of it, " +
			"and E2E_EXTRA_GINKGO_ARGS are flags of Ginkgo's. RESULTS_DIR, by default " + defaultResults + ", gets " +
			logFile + ", " + junitFile + " and the run's folder. A focus on " + everything + " selects all trials of " +
			"the quick profile.",
		Example: "  podclock conformance run",
		Args:    shell.Arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			results := os.Getenv(resultsKey)
			if results == "" {
				results = defaultResults
			}
			ctx, stop := shell.Interruptible(c)
			defer stop()
			code, err := play(ctx, c.OutOrStdout(), program, os.Getenv, results)
			return shell.Ended(err, code)
		},
	}
}

// play runs podclock in its own process, so that the log has everything that it prints. Whatever happens, the files are
// there at the end.
func play(ctx context.Context, out io.Writer, program string, env func(string) string, results string) (int, error) {
	if err := os.MkdirAll(results, 0o755); err != nil {
		return 0, fmt.Errorf("create %s for the results: %w", results, err)
	}
	file, err := os.Create(filepath.Join(results, logFile))
	if err != nil {
		return 0, fmt.Errorf("create the log of the run: %w", err)
	}
	defer func() { _ = file.Close() }()
	if program == "" {
		if program, err = os.Executable(); err != nil {
			return 0, fmt.Errorf("find this program: %w", err)
		}
	}
	log := &held{to: file}
	both := io.MultiWriter(out, log)
	args := flags(env, results)
	_, _ = fmt.Fprintf(both, "podclock %s\n", strings.Join(args, " "))
	began := time.Now()
	child := exec.CommandContext(ctx, program, args...)
	child.Stdout, child.Stderr = both, both
	child.Cancel = func() error { return child.Process.Signal(os.Interrupt) } // it saves what it measured
	child.WaitDelay = session.Ending + time.Minute
	failed := child.Run()
	code := child.ProcessState.ExitCode()
	if code < 0 { // it never ran, or a signal killed it
		code = run.ExitUnjudged
	}
	err = hasReport(filepath.Join(results, junitFile), failed)
	// hydrophone waits for this line of Ginkgo's (pkg/conformance/client/logs.go testsAreStillRunning).
	_, _ = fmt.Fprintf(both, "\nGinkgo ran 1 suite in %v\n", time.Since(began).Round(time.Second))
	return code, errors.Join(err, log.end(), delivery.Pack(results, tarball))
}

// hasReport writes a JUnit report with the error if the run wrote none.
func hasReport(file string, failed error) error {
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	why := "podclock wrote no report: " + logFile + " has its output"
	if failed != nil {
		why += " (" + failed.Error() + ")"
	}
	r := run.Run{ID: "error", Problems: []string{why}}
	return folder.WriteFile(file, func(w io.Writer) error { return junit.Run(w, view.OverviewOf(r, nil)) })
}

// Shell does what hydrophone asks of the shell in the container: sh -c "cat FILE".
func Shell(w io.Writer, args []string) error {
	if len(args) == 2 && args[0] == "-c" {
		if name, is := strings.CutPrefix(args[1], "cat "); is && !strings.ContainsAny(name, " ;|&$`'\"") {
			file, err := os.Open(name)
			if err != nil {
				return err
			}
			defer func() { _ = file.Close() }()
			_, err = io.Copy(w, file)
			return err
		}
	}
	return fmt.Errorf("sh %s: only `sh -c \"cat FILE\"` is known, which hydrophone calls", strings.Join(args, " "))
}
