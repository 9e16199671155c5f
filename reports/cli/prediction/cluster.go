package prediction

import (
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/podclock/podclock/harness/predict/live"
	"github.com/podclock/podclock/harness/predict/manifest/source"
	"github.com/podclock/podclock/reports/cli/shell"
)

// clusterFlags are those that name a cluster, as kubectl's do.
var clusterFlags = []string{"namespace", "context", "kubeconfig"}

func (o *options) addCluster(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVarP(&o.cluster.Namespace, "namespace", "n", "", "the namespace of the objects of a cluster")
	flags.StringVar(&o.cluster.Context, "context", "", "the context of the kubeconfig")
	flags.StringVar(&o.cluster.Kubeconfig, "kubeconfig", "", "the kubeconfig (default: as kubectl, KUBECONFIG or "+
		"~/.kube/config)")
	for _, name := range []string{"namespace", "context"} {
		shell.Complete(command, name, cobra.NoFileCompletions)
	}
}

// objects returns the objects of a cluster that arguments name. An existing file of that name is a manifest. Beside
// manifests, so is what only its cluster would know as an object.
func (o options) objects(flags *pflag.FlagSet, args []string) (all []live.Name, err error) {
	files := slices.Clone(o.files)
	for _, arg := range args {
		n, is := live.Parse(arg)
		if _, missing := os.Stat(arg); !is || missing == nil || source.IsManifest(arg) {
			files = append(files, arg)
		} else {
			all = append(all, n)
		}
	}
	if len(files) > 0 {
		all = slices.DeleteFunc(all, live.Name.Custom)
	}
	if len(all) > 0 && len(files) > 0 {
		return nil, fmt.Errorf("%s is an object of a cluster and %s a manifest: predict one after the other", all[0],
			files[0])
	}
	for _, name := range clusterFlags {
		if len(all) == 0 && flags.Changed(name) {
			return nil, fmt.Errorf("--%s is for objects of a cluster, such as deployment/web: TYPE is "+
				"%s, or a custom resource", name, live.Kinds())
		}
	}
	return all, nil
}
