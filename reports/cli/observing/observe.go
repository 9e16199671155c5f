// Package observing is the command that watches the pods of a cluster and injects nothing.
package observing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/host/option"
	"github.com/podclock/podclock/harness/observe"
	"github.com/podclock/podclock/harness/observe/watch"
	"github.com/podclock/podclock/harness/predict/live"
	"github.com/podclock/podclock/harness/predict/request"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/images"
	"github.com/podclock/podclock/reports/apis/observations/v1alpha1"
	"github.com/podclock/podclock/reports/cli/incluster"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/observed"
)

// The words of --fail-on and --until.
const (
	onSIGKILL  = "sigkill"
	onLate     = "late"
	onDeviates = "deviates"
	rollout    = "rollout"
)

// FoundSome is the exit code of an observation with what --fail-on names.
const FoundSome = 1

type options struct {
	cluster               live.Access
	lasts                 time.Duration
	metrics, page, listen string
	output, failOn, until *string
	schema, daemonset     bool
	everywhere            bool
	place, platform       string
}

// Command returns the command.
func Command() *cobra.Command {
	var o options
	command := &cobra.Command{
		Use:   "observe [TYPE/NAME...]",
		Short: "watch your own pods end: what killed them, how long it took, and what was predicted",
		Long: "Watch the pods of a namespace, or of the named workloads, and inject nothing. Each container that " +
			"dies is one line: what killed it, when its process died, whether it exited or SIGKILL ended it, which share " +
			"of its grace period it used, and whether that was in its predicted window. Each pod that goes is one " +
			"line: how long it was in its Services after the delete. A third line comes when a successor is ready. " +
			"A summary of each workload comes at the end.\n\n" +
			"It works beside a rollout, kubectl drain, or any chaos tool. Each value says how exact it is: the API " +
			"has whole seconds. The node part, a DaemonSet, sees processes end to the millisecond.\n\n" +
			"It ends after --for, after the rollout of --until, or at an interrupt.",
		Example: `  podclock observe -n shop
  podclock observe -n shop deployment/web --until=rollout --fail-on=sigkill
  podclock observe -n shop --for=10m -o json > ends.jsonl
  podclock observe -n shop --for=10m --html=ends.html
  podclock observe -n shop --for=1h --openmetrics=/var/lib/node_exporter/podclock.prom`,
		RunE: o.run,
	}
	flags := command.Flags()
	flags.StringVarP(&o.cluster.Namespace, "namespace", "n", "", "the namespace of the pods")
	flags.BoolVarP(&o.everywhere, "all-namespaces", "A", false, "observe the pods of all namespaces")
	flags.StringVar(&o.cluster.Context, "context", "", "the context of the kubeconfig")
	flags.StringVar(&o.cluster.Kubeconfig, "kubeconfig", "", "the kubeconfig (default: as kubectl, KUBECONFIG or "+
		"~/.kube/config)")
	flags.DurationVar(&o.lasts, "for", 0, "end after this time")
	flags.StringVar(&o.metrics, "openmetrics", "", "write podclock_termination_seconds into this file at the end")
	flags.StringVar(&o.listen, "listen", "", "serve it at /metrics of this address while observing, such as :9090, "+
		"with native buckets")
	flags.StringVar(&o.page, "html", "", "write a page with all kills beside their predicted windows into this file "+
		"at the end")
	flags.BoolVar(&o.schema, "schema", false, "print the JSON schema of -o json")
	flags.BoolVar(&o.daemonset, "print-daemonset", false, "print the manifests of the node part, for kubectl apply")
	flags.StringVar(&o.place, "images", "", "with --print-daemonset: the place that podclock images push wrote to "+
		"(default: each node has them)")
	flags.StringVar(&o.platform, "platform", "linux/"+runtime.GOARCH, "without --images: the nodes' platform")
	o.until = shell.Choose(command, "until", "", "",
		"end after the rollout of the named workloads: the one under way, or the next", rollout)
	o.failOn = shell.Choose(command, "fail-on", "", "", "end with 1 if a process died by SIGKILL, came after its "+
		"window, or lay outside of it", onSIGKILL, onLate, onDeviates)
	o.output = shell.Choose(command, "output", "o", shell.Text, "the format of the lines", shell.Text, shell.JSON)
	for _, name := range []string{"namespace", "context", "for"} {
		shell.Complete(command, name, cobra.NoFileCompletions)
	}
	return command
}

func (o *options) run(c *cobra.Command, args []string) error {
	if o.schema {
		_, err := io.WriteString(c.OutOrStdout(), v1alpha1.Schema)
		return err
	}
	if o.daemonset {
		refs, err := incluster.Refs(c.Context(), o.place, o.platform)
		if err != nil {
			return err
		}
		return incluster.WriteYAML(c.OutOrStdout(), watch.DaemonSet(refs[images.Recorder])...)
	}
	names, err := o.names(args)
	if err != nil {
		return err
	}
	ctx, stop := shell.Interruptible(c)
	defer stop()
	var tally observe.Tally
	metrics := observed.NewMetrics()
	served, err := o.serve(ctx, metrics)
	if err != nil {
		return err
	}
	defer served()
	var wrong error
	page := observed.Page{Of: o.observed(names), From: time.Now()}
	err = watch.Run(ctx, watch.Options{
		Access: o.cluster, Names: names, Everywhere: o.everywhere, For: o.lasts, UntilRollout: *o.until == rollout,
		Kubelet: func(version string, configz []byte) (formula.Kubelet, error) {
			return request.Request{}.KubeletOf(c.Flags(), version, configz)
		},
		Fact: func(f observe.Fact) {
			tally.Add(f)
			metrics.Add(f)
			if o.page != "" {
				page.Facts = append(page.Facts, f)
			}
			wrong = errors.Join(wrong, o.write(c.OutOrStdout(), observed.Line(f), observed.Document(f)))
		},
		Note: func(text string) { _, _ = fmt.Fprintln(c.ErrOrStderr(), "podclock:", text) },
	})
	if err != nil {
		return explained(ctx, err)
	}
	all := tally.Summaries()
	for _, s := range all {
		wrong = errors.Join(wrong, o.write(c.OutOrStdout(), observed.Summary(s), observed.SummaryDocument(s)))
	}
	if len(all) == 0 && *o.output == shell.Text {
		_, _ = fmt.Fprintln(c.OutOrStdout(), "No container died and no pod went.")
	}
	page.To, page.Summaries = time.Now(), all
	return shell.Ended(errors.Join(wrong, written("openmetrics", o.metrics, metrics.Write),
		written("html", o.page, func(w io.Writer) error { return observed.HTML(w, page) })), o.code(all))
}

// serve serves the metrics at --listen, if it is given, until the end of what it returns.
func (o *options) serve(ctx context.Context, m observed.Metrics) (end func(), err error) {
	if o.listen == "" {
		return func() {}, nil
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.listen)
	if err != nil {
		return nil, option.Invalid("listen", o.listen, "%w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", m.Handler())
	s := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.Serve(l) }() // it ends by Close
	return func() { _ = s.Close() }, nil
}

// explained returns the error of an observation, or the interrupt that ended it.
func explained(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (o *options) names(args []string) (names []live.Name, err error) {
	for _, arg := range args {
		n, is := live.Parse(arg)
		if !is {
			return nil, fmt.Errorf("%q is no TYPE/NAME, such as deployment/web: TYPE is %s, or a custom resource", arg,
				live.Kinds())
		}
		names = append(names, n)
	}
	if o.everywhere && (len(names) > 0 || o.cluster.Namespace != "") {
		return nil, option.Invalid("all-namespaces", true, "names and -n are of one namespace")
	}
	for _, n := range names {
		switch kind, _ := n.Split(); {
		case *o.until != rollout, kind == "deployment", kind == "statefulset", kind == "daemonset":
		default:
			return nil, option.Invalid("until", rollout, "%s has no rollout: name a deployment, a statefulset or a "+
				"daemonset", n)
		}
	}
	if *o.until == rollout && len(names) == 0 {
		return nil, option.Invalid("until", rollout, "name the workload, such as deployment/web")
	}
	return names, nil
}

func (o *options) write(w io.Writer, line string, document v1alpha1.Observation) error {
	if *o.output == shell.JSON {
		return shell.WriteLine(w, shell.JSON, document)
	}
	_, err := fmt.Fprintln(w, line)
	return err
}

// observed names what is observed.
func (o *options) observed(names []live.Name) string {
	all := make([]string, len(names))
	for i, n := range names {
		all[i] = n.String()
	}
	switch {
	case o.everywhere:
		return "all namespaces"
	case o.cluster.Namespace != "":
		all = append(all, "namespace "+o.cluster.Namespace)
	case len(all) == 0:
		return "the kubeconfig's namespace"
	}
	return strings.Join(all, ", ")
}

// written writes a flag's file, if the flag is given. Another program may read it at any time.
func written(flag, path string, write func(io.Writer) error) error {
	if path == "" {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), "podclock-*.tmp")
	if err != nil {
		return fmt.Errorf("write --%s: %w", flag, err)
	}
	const everybody = 0o644
	err = errors.Join(write(f), f.Chmod(everybody), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return err
}

// code returns the exit code of an observation.
func (o *options) code(all []observe.Summary) int {
	for _, s := range all {
		if map[string]int{onSIGKILL: s.Killed, onLate: s.Late, onDeviates: s.Deviating}[*o.failOn] > 0 {
			return FoundSome
		}
	}
	return shell.Succeeded
}
