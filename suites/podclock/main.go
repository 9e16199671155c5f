// The podclock program does what needs no trial: it judges a saved run again, tells where one found documentation and code apart, builds subjects, deletes
// a kept cluster, and lists the catalogue. The trials themselves are a Ginkgo suite (bin/podclock.test).
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/caarlos0/env/v11"
	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/cluster"
	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports"
	"github.com/podclock/podclock/suites"
	"github.com/podclock/podclock/suites/session"
)

func main() { os.Exit(run()) }

// run returns the exit code.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code := reports.ExitConforms
	root := &cobra.Command{
		Use: "podclock", Short: "measure how a Kubernetes node kills and restarts pods",
		SilenceUsage: true, SilenceErrors: true,
	}
	root.AddCommand(judge(&code), divergences(os.Stdout), build(os.Stdout, os.Stderr), down(), catalogue(), repeat(&code, os.Stdout, os.Stderr))
	root.AddCommand(disturb(&code, os.Stdout, os.Stderr))
	root.AddCommand(sensitivity(&code, os.Stdout, os.Stderr), trackRecord(os.Stdout))
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "podclock:", err)
		return reports.ExitUnjudged
	}
	return code
}

func judge(code *int) *cobra.Command {
	var markdown bool
	command := &cobra.Command{
		Use: "judge RUN", Short: "judge a saved run again, without a cluster", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			saved, err := reports.Load(args[0])
			if err != nil {
				return err
			}
			judged, changes := reports.Rejudge(saved, finder())
			*code = judged.ExitCode()
			if markdown {
				return reports.Markdown(os.Stdout, judged)
			}
			if err := reports.Summary(os.Stdout, judged, reports.SummaryOptions{Screen: reports.ScreenOf(os.Stdout)}); err != nil {
				return err
			}
			for _, c := range changes {
				fmt.Println(c)
			}
			if len(changes) == 0 {
				fmt.Println("Every verdict is the saved one.")
			}
			return nil
		},
	}
	command.Flags().BoolVar(&markdown, "markdown", false, "write the verdicts as a Markdown table")
	return command
}

// finder finds trials by their IDs in a catalogue that is made once.
func finder() func(id string) (trial.Trial, bool) {
	all := suites.Index()
	return func(id string) (trial.Trial, bool) {
		t, known := all[id]
		return t, known
	}
}

func down() *cobra.Command {
	return &cobra.Command{
		Use: "down", Short: "delete the cluster that a run with KEEP=1 left", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			name, err := clusterName(env.ToMap(os.Environ()))
			if err != nil {
				return err
			}
			return cluster.Down(c.Context(), cluster.Options{Name: name, Log: os.Stderr})
		},
	}
}

// clusterName reads a run's CLUSTER, with its default. A run's other variables are not looked at: a cluster can be deleted though the binary that was
// tested in it is gone.
func clusterName(environment map[string]string) (string, error) {
	config, err := env.ParseAsWithOptions[session.Config](env.Options{Environment: map[string]string{"CLUSTER": environment["CLUSTER"]}})
	if err != nil {
		return "", fmt.Errorf("read CLUSTER: %w", err)
	}
	return config.Cluster, nil
}

func catalogue() *cobra.Command {
	var markdown bool
	command := &cobra.Command{
		Use: "catalogue", Short: "list every trial, its claims and their formulas", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			l := newListing(suites.Catalogue(), kubelet.Versions())
			text := l.text()
			if markdown {
				text = l.markdown()
			}
			if _, err := os.Stdout.WriteString(text); err != nil {
				return fmt.Errorf("write the catalogue: %w", err)
			}
			return nil
		},
	}
	command.Flags().BoolVar(&markdown, "markdown", false, "write suites/CATALOGUE.md")
	return command
}
