package cli

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/kubelet"
	runs "github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/reports/terminal"
)

func sessionFlags(command *cobra.Command, c *session.Config) {
	c.AddFlags(command.Flags())
	complete(command, "subjects", completeList(subjectWords))
	completeWords(command, "lane", string(kubelet.LaneNode), string(kubelet.LaneVirtual))
	completeWords(command, "profile", string(session.Quick), string(session.Full))
	completeFolders(command, "out")
	completeClusterFlags(command)
}

func completeClusterFlags(command *cobra.Command) {
	complete(command, "cluster", cobra.NoFileCompletions)
	completeWords(command, "node-image", "build", "published")
	complete(command, "kind-config",
		cobra.FixedCompletions([]cobra.Completion{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt))
}

func (a app) selectionFlags(command *cobra.Command, c *session.Config) {
	c.AddSelectionFlags(command.Flags())
	complete(command, "focus", a.completeTrials)
	complete(command, "skip", a.completeTrials)
	complete(command, "label-filter", a.completeLabels)
}

// programOf returns what a session needs. save writes a run's folder; every shows a line for every trial.
func programOf(c *cobra.Command, every bool, save func(dir string, r runs.Run) error) session.Program {
	return session.Program{
		Log:  c.ErrOrStderr(),
		Save: save,
		Show: func(lane runs.Lane) session.Display {
			p := terminal.StartProgress(os.Stderr, terminal.ScreenOf(os.Stderr))
			p.Every, p.Timeless = every, lane == runs.VirtualLane
			return p
		},
	}
}
