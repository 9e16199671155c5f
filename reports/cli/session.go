package cli

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/host/screen"
	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/cli/try"
	"github.com/podclock/podclock/reports/render/folder"
	"github.com/podclock/podclock/reports/render/terminal"
)

func (a App) sessionFlags(command *cobra.Command, c *session.Config) {
	c.KindBase = a.KindConfig
	c.AddFlags(command.Flags())
	shell.Complete(command, "subjects", shell.CompleteList(subjectWords))
	shell.CompleteWords(command, "lane", string(runs.NodeLane), string(runs.VirtualLane))
	shell.CompleteWords(command, "profile", string(trial.Quick), string(trial.Full))
	shell.CompleteFolders(command, "out")
	completeClusterFlags(command)
}

func completeClusterFlags(command *cobra.Command) {
	shell.Complete(command, "cluster", cobra.NoFileCompletions)
	shell.CompleteWords(command, "node-image", "build", "published")
	shell.CompleteFiles(command, "kind-config", "yaml", "yml")
}

func (a App) selectionFlags(command *cobra.Command, c *session.Config) {
	c.AddSelectionFlags(command.Flags())
	shell.Complete(command, "focus", a.completeTrials)
	shell.Complete(command, "skip", a.completeTrials)
	shell.Complete(command, "label-filter", a.completeLabels)
	c.Kills = a.kills
}

// kills reads the record of mutants that this program has.
func (a App) kills() (session.Kills, error) {
	var recorded mutationtest.Report
	if err := json.Unmarshal(a.Record, &recorded); err != nil {
		return nil, fmt.Errorf("read the record of mutants of this program: %w", err)
	}
	return recorded.KillsByTrial(), nil
}

func (a App) trying() try.Needs {
	return try.Needs{
		Catalogue: a.Catalogue, Selection: a.selectionFlags,
		Program: func(c *cobra.Command) session.Program {
			return programOf(c, false, folder.Writer(a.Catalogue))
		},
	}
}

// programOf returns what a session needs. save writes a run's folder; every shows a line for every trial.
func programOf(c *cobra.Command, every bool, save func(dir string, r runs.Run) error) session.Program {
	out, progress := shell.ScreenOf(c.OutOrStdout()), screen.Of(os.Stderr)
	return session.Program{
		Log:    c.ErrOrStderr(),
		Save:   save,
		Colour: out.Colour, OneTerminal: out.Terminal && progress.Terminal,
		Show: func(lane runs.Lane) session.Display {
			p := terminal.StartProgress(os.Stderr, progress)
			p.Every, p.Timeless = every, lane == runs.VirtualLane
			return p
		},
	}
}
