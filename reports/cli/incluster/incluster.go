// Package incluster is the command that prints the manifests of podclock's Job or Sonobuoy plugin.
package incluster

import (
	"context"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/host/option"
	"github.com/podclock/podclock/harness/node/external"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/images"
	"github.com/podclock/podclock/reports/cli/internal/delivery"
)

// passed are flags of run that in-cluster has as well, and passes on.
var passed = []string{
	"profile", "focus", "skip", "label-filter", "nodes", "node-selector", "sample", "per", "at-once", "allow",
	"timeout", "deliver-within",
}

// Command returns the command. run are the flags of podclock run.
func Command(run *pflag.FlagSet) *cobra.Command {
	var job external.InCluster
	var place, platform, volume string
	var plugin bool
	command := &cobra.Command{
		Use:   "in-cluster",
		Short: "print the manifests of a Job that runs podclock in the cluster that it tests",
		Long: "Print the manifests of a Job that runs podclock in the cluster that it tests, for kubectl apply. Its " +
			"results wait for kubectl cp. A restarted Job continues. With --sonobuoy, print a Sonobuoy plugin " +
			"instead. The images are compiled to know their digests; podclock images push or save " +
			"brings them to the nodes, with --podclock.",
		Args: cobra.NoArgs,
		Example: `  podclock in-cluster --images=registry.example/podclock --volume=1Gi | kubectl apply -f -
  podclock in-cluster --images=registry.example/podclock --sonobuoy > podclock.yaml`,
		RunE: func(c *cobra.Command, _ []string) error {
			if allow, _ := c.Flags().GetStringSlice("allow"); slices.Contains(allow, string(external.Taints)) {
				return option.Invalid("allow", external.Taints,
					"a taint would evict podclock's own pod: run podclock outside the cluster")
			}
			if job.Workers != 0 && (job.Workers < 1 || volume != "" || plugin) {
				return option.Invalid("workers", job.Workers,
					"it must be a number of pods, which have no --volume and are no plugin of Sonobuoy")
			}
			if volume != "" {
				size, err := resource.ParseQuantity(volume)
				if err != nil || size.Sign() <= 0 {
					return option.Invalid("volume", volume, "it must be a size, such as 1Gi")
				}
				job.Volume = &size
			}
			refs, err := Refs(c.Context(), place, platform)
			if err != nil {
				return err
			}
			job.Image = refs[images.Podclock]
			delete(refs, images.Podclock)
			how, out := delivery.Copy, external.ResultsDir
			if plugin {
				how, out = delivery.Sonobuoy, "/tmp/sonobuoy/results"
			}
			job.Args = append([]string{
				"run", "--on=" + session.OnExternal, "--yes", "--continue", "--deliver=" + string(how), "--out=" + out,
				"--images=" + strings.Join(slices.Sorted(maps.Values(refs)), ","),
			}, passedOn(c.Flags())...)
			if plugin {
				return WriteYAML(c.OutOrStdout(), sonobuoyPlugin(job, out))
			}
			return WriteYAML(c.OutOrStdout(), job.Manifests()...)
		},
	}
	set := command.Flags()
	set.StringVar(&place, "images", "", "the place that podclock images push wrote to (default: each node has them)")
	set.StringVar(&platform, "platform", "linux/"+runtime.GOARCH, "without --images: the nodes' platform")
	set.StringVar(&job.Namespace, "namespace", "podclock", "the Job's namespace")
	set.StringVar(&volume, "volume", "",
		"the size of a PersistentVolumeClaim for the results, which a new pod continues (default an emptyDir)")
	set.IntVar(&job.Workers, "workers", 0, "the number of pods that share the nodes (default one)")
	set.BoolVar(&plugin, "sonobuoy", false, "print the definition of a Sonobuoy plugin")
	for _, name := range passed {
		set.AddFlag(run.Lookup(name))
	}
	return command
}

// passedOn returns the given flags that run gets.
func passedOn(set *pflag.FlagSet) (args []string) {
	for _, name := range passed {
		f := set.Lookup(name)
		if !f.Changed {
			continue
		}
		value := f.Value.String()
		if list, is := f.Value.(pflag.SliceValue); is {
			value = strings.Join(list.GetSlice(), ",")
		}
		args = append(args, "--"+name+"="+value)
	}
	return args
}

// Refs returns the references of all images by their names.
func Refs(ctx context.Context, place, platform string) (map[string]string, error) {
	if place == "" {
		return images.Names(ctx, platform)
	}
	if err := images.ValidPlace(place); err != nil {
		return nil, option.Invalid("images", place, "%w", err)
	}
	set, err := images.BuildSet(ctx, true)
	if err != nil {
		return nil, err
	}
	return images.ParseRefs(strings.Join(set.Refs(place), ","))
}

// plugin is the definition of a Sonobuoy plugin (pkg/plugin/manifest).
type plugin struct {
	Config  map[string]any   `json:"sonobuoy-config"`
	PodSpec corev1.PodSpec   `json:"podSpec"`
	Spec    corev1.Container `json:"spec"`
}

func sonobuoyPlugin(job external.InCluster, out string) plugin {
	security := fixtures.PodSecurity()
	security.FSGroup = security.RunAsUser
	return plugin{
		Config: map[string]any{
			"driver": "Job", "plugin-name": "podclock", "result-format": "junit", "result-files": []string{"junit.xml"},
		},
		PodSpec: corev1.PodSpec{
			ServiceAccountName: "sonobuoy-serviceaccount", RestartPolicy: corev1.RestartPolicyNever,
			SecurityContext: security,
		},
		Spec: job.Container(out),
	}
}

// WriteYAML writes objects as a stream of documents.
func WriteYAML(w io.Writer, objects ...any) error {
	for _, o := range objects {
		text, err := yaml.Marshal(o)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "---\n%s", text); err != nil {
			return err
		}
	}
	return nil
}
