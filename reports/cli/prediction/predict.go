// Package prediction has the commands that predict, and those that list what predictions know. They read flags, call
// other packages and write their results.
package prediction

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/predict/findings"
	"github.com/podclock/podclock/harness/predict/live"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/predict/manifest/source"
	"github.com/podclock/podclock/harness/predict/request"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/apis/predictions/v1alpha1"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/predict/forecast"
	"github.com/podclock/podclock/reports/predict/sentences"
)

const (
	asSVG      = "svg"
	asSARIF    = "sarif"
	asFindings = "findings"
)

// Predict returns the command "predict". version is the program's.
func Predict(version string) *cobra.Command {
	o := options{version: version}
	command := &cobra.Command{
		Use:   "predict MANIFEST... | TYPE/NAME...",
		Short: "predict from a manifest or a live object when pods are killed or restarted",
		Long: "Read a manifest as an API server does, and predict what each cause does to every container: a delete, " +
			"an eviction, a failing liveness or startup probe, a crash, a rollout. One sentence for each question " +
			"comes first, then findings, which are probable mistakes, each with a fix. Each time is a window: what " +
			"the code computes by the formulas that judge trials. --all adds every cause, and what is " +
			"documented.\n\n" +
			"--kubernetes selects the kubelet's version. The node's settings are the defaults, those of " +
			"--kubelet-config, or those of single flags, which override both. --preset adds limits of spot " +
			"instances, autoscalers and drains.\n\n" +
			"A manifest is a stream of YAML or JSON documents with Pods, Deployments, StatefulSets, DaemonSets, " +
			"Jobs, CronJobs, ReplicaSets, ReplicationControllers, Argo's Rollouts, Knative's " +
			"Services, or lists of them. Others are counted: custom resources as skipped, because they may make " +
			"pods. Several are named one after another, by patterns, or each with -f. A folder means its .yaml, " +
			".yml and .json files. --template-path names the pod templates of other custom resources. If anything in " +
			"one is wrong, nothing is predicted.\n\n" +
			"TYPE/NAME, such as deployment/web, pod/web-0 or rollout/web, reads an object of a cluster, its pods, " +
			"and the version and configuration of their nodes, and adds what happens next to each pod. It writes " +
			"nothing there.\n\n" +
			"A file .podclock.yaml has the version, ignored rules, levels and template paths of a repository.",
		Example: `  podclock predict deployment.yaml
  podclock predict -f web.yaml -f worker.yaml --fail-on=error
  podclock predict -R manifests/
  podclock predict 'deploy/*.yaml' --template-path=example.com/Widget=.spec.workers[*].template
  kubectl get deployment web -o yaml | podclock predict -f - --kubernetes=v1.34.4
  podclock predict deployment/web -n shop
  podclock predict -f pod.yaml --hook-takes=3s --exits-after=500ms
  podclock predict -f pod.yaml --eviction-soft-grace-period=90s --eviction-max-pod-grace-period=60
  podclock predict -f pod.yaml --kubelet-config=kubelet.yaml --preset=aws-spot --preset=karpenter=1h
  podclock predict -f manifests.yaml -o html > predictions.html
  podclock predict -f manifests.yaml -o sarif --fail-on=warning > findings.sarif`,
		RunE: func(c *cobra.Command, args []string) error {
			objects, err := o.objects(c.Flags(), args)
			if err != nil {
				return err
			}
			if len(objects) == 0 {
				o.files = append(o.files, args...)
			}
			return o.run(c, objects)
		},
	}
	flags := command.Flags()
	flags.StringArrayVarP(&o.files, "filename", "f", nil,
		"a manifest, a folder or pattern of them, an https address, or - for standard input; may be given more "+
			"than once")
	shell.CompleteFiles(command, "filename", "yaml", "yml", "json")
	o.add(command, "end with 1 if there is a finding of this level or a higher one")
	o.addCluster(command)
	flags.Int64SliceVar(&o.asked.GracePeriodSeconds, "grace-period", nil, "gracePeriodSeconds of a further delete "+
		"request to predict; may be given more than once")
	flags.BoolVar(&o.asked.WriteBaseline, "write-baseline", false,
		"write all findings into the file of --baseline, which makes them known")
	flags.BoolVarP(&o.all, "all", "a", false,
		"add every timeline step by step, with the terms of its windows; in text also tables of all causes")
	o.output = shell.Output(command, asSVG, shell.HTML, asFindings, asSARIF)
	command.AddCommand(predictDiff())
	return command
}

func (o options) run(c *cobra.Command, objects []live.Name) error {
	// Nearly all that a prediction allocates lives until the program ends: 1,000 workloads have some 700 MB.
	defer debug.SetGCPercent(debug.SetGCPercent(1600))
	out := c.OutOrStdout()
	if o.schema {
		_, err := io.WriteString(out, v1alpha1.Schema)
		return err
	}
	if len(o.files)+len(objects) == 0 {
		return errors.New("no manifest: name one, - for standard input, or an object of a cluster such as " +
			"deployment/web")
	}
	asked, err := o.asked.Resolve(c.Flags())
	if err != nil {
		return err
	}
	if len(objects) > 0 {
		return o.ofCluster(c, objects, asked)
	}
	var m manifest.Manifest
	if o.files, err = source.Files(o.files, o.recursive); err == nil {
		m, err = source.Read(o.files, c.InOrStdin(), asked.Templates...)
	}
	if err == nil && len(m.Objects)+len(m.Skipped)+len(m.Budgets) == 0 {
		err = fmt.Errorf("there is no object in %s: is the manifest empty?", source.Name(o.files[0]))
	}
	if err != nil {
		return errors.Join(err, o.refused(out, err))
	}
	name := source.Name(o.files[0])
	if len(o.files) > 1 {
		name = fmt.Sprintf("%d manifests", len(o.files))
	}
	return o.finish(c, forecast.Of(name, m, asked.Kubelet, asked.Options), asked.Baseline)
}

// ofCluster reads objects of a cluster and predicts them.
func (o options) ofCluster(c *cobra.Command, names []live.Name, asked request.Resolved) error {
	o.cluster.Configured = o.asked.Configured(c.Flags())
	read, err := live.Read(c.Context(), o.cluster, names, asked.Templates...)
	if err != nil {
		return errors.Join(err, o.refused(c.OutOrStdout(), err))
	}
	groups, err := read.Groups(func(version string, configz []byte) (formula.Kubelet, error) {
		return o.asked.KubeletOf(c.Flags(), version, configz)
	}, asked.Options)
	if err != nil {
		return err
	}
	return o.finish(c, forecast.OfCluster(read, groups), asked.Baseline)
}

// finish writes a forecast without the findings of a baseline, and first the baseline if it is asked for.
func (o options) finish(c *cobra.Command, f forecast.Forecast, b findings.Baseline) error {
	if o.asked.WriteBaseline {
		b.Known = f.Known()
		if err := request.WriteBaseline(b); err != nil {
			return err
		}
		_, _ = fmt.Fprintf(c.ErrOrStderr(), "%s has %s now.\n", b.File, sentences.Count(len(b.Known), "known finding"))
	}
	ignore(c, f, b)
	return shell.Ended(o.write(c.OutOrStdout(), f), o.code(f.Finds))
}

// refused writes the problems of manifests for programs that read the output. People read them on standard error.
func (o options) refused(w io.Writer, err error) error {
	switch *o.output {
	case asSARIF:
		return forecast.RefusedSARIF(w, unjoined(err), o.version)
	case shell.JSON, shell.YAML:
		return shell.WriteLine(w, *o.output, forecast.Refused(unjoined(err)))
	}
	return nil
}

func (o options) write(w io.Writer, f forecast.Forecast) error {
	screen := shell.ScreenOf(w)
	text := forecast.TextOptions{Columns: screen.ColumnsOr(0), Colour: screen.Colour, All: o.all}
	switch *o.output {
	case shell.JSON, shell.YAML:
		return shell.WriteLine(w, *o.output, forecast.Document(f, o.all))
	case asSVG:
		return forecast.SVG(w, f)
	case shell.HTML:
		return forecast.HTML(w, f)
	case asFindings:
		return forecast.Findings(w, f, text)
	case asSARIF:
		return forecast.SARIF(w, f, o.version)
	}
	return forecast.Text(w, f, text)
}
