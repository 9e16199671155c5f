package cli

import (
	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/session"
)

// sessionFlags are those of what a run is made of, session.Config.
func sessionFlags(command *cobra.Command) {
	flags := command.Flags()
	flags.String(
		"subjects",
		"",
		"the kubelets under test, separated by commas: versions, version+mutation, or paths of binaries; virtual: before a version puts it into the "+
			"virtual lane (default "+kubelet.Versions()[0]+", or all versions of the virtual lane with --lane=virtual)",
	)
	complete(command, "subjects", completeList(subjectWords))
	variable(flags, "subjects", "SUBJECTS")
	choose(command, "lane", "", "", "the lane of subjects that name none (default node)", string(kubelet.LaneNode),
		string(kubelet.LaneVirtual))
	variable(flags, "lane", "LANE")
	choose(command, "profile", "", "",
		"the trials of at most "+lasts(session.QuickBound)+", or all (default quick, in the virtual lane full)",
		string(session.Quick), string(session.Full))
	variable(flags, "profile", "PROFILE")
	flags.Bool("keep", false, "leave the cluster for the next run, which finds it; podclock down deletes it")
	variable(flags, "keep", "KEEP")
	flags.String("out", "", "the folder of all runs; a relative path is meant from the project's root (default out)")
	complete(command, "out", cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs))
	variable(flags, "out", "OUT")
	clusterFlags(command)
}

// clusterFlags are those of where the node lane's trials run.
func clusterFlags(command *cobra.Command) {
	flags := command.Flags()
	flags.String("cluster", "", "the kind cluster's name (default podclock)")
	complete(command, "cluster", cobra.NoFileCompletions)
	variable(flags, "cluster", "CLUSTER")
	flags.String(
		"node-image",
		"",
		"the nodes' image: build, published, or a reference (default one that is there, else the published one where a registry is in reach, else build)",
	)
	complete(command, "node-image",
		cobra.FixedCompletions([]cobra.Completion{"build", "published"}, cobra.ShellCompDirectiveNoFileComp))
	variable(flags, "node-image", "NODE_IMAGE")
	flags.String("kind-config", "",
		"the base kind configuration; a relative path is meant from the project's root (default kind-config.yaml)")
	complete(command, "kind-config",
		cobra.FixedCompletions([]cobra.Completion{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt))
	variable(flags, "kind-config", "KIND_CONFIG")
}

// focusFlag chooses trials by their names.
func focusFlag(command *cobra.Command) {
	command.Flags().String("focus", "", "a regular expression: only trials whose subject and ID it matches")
	complete(command, "focus", completeTrials)
	variable(command.Flags(), "focus", "FOCUS")
}

// selectionFlags choose trials as Ginkgo's flags of these names do.
func selectionFlags(command *cobra.Command) {
	focusFlag(command)
	flags := command.Flags()
	flags.String("skip", "", "a regular expression: no trial whose subject and ID it matches")
	complete(command, "skip", completeTrials)
	variable(flags, "skip", "SKIP")
	flags.String("label-filter", "",
		"labels and areas with !, &&, ||, parentheses between them, such as 'probes && !startup'")
	complete(command, "label-filter", completeLabels)
	variable(flags, "label-filter", "LABELS")
}
