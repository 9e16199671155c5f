package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/kubelet"
	runs "github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/listing"
)

func version() *cobra.Command {
	command := &cobra.Command{
		Use:     "version",
		Short:   "print which podclock this is, and which releases of Kubernetes its formulas were read in",
		Args:    arguments(0, 0),
		Example: "  podclock version -o json\n  podclock version --changes > docs/versions.md",
	}
	changes := command.Flags().Bool("changes", false,
		"write which releases have each change that the formulas ask for, as Markdown")
	o := shell.Output(command)
	command.RunE = func(c *cobra.Command, _ []string) error {
		if *changes {
			_, err := fmt.Fprint(c.OutOrStdout(), listing.Changes())
			return err
		}
		b := newBuilt()
		return shell.Show(c.OutOrStdout(), *o, b, func(int) string { return b.String() })
	}
	return command
}

// built describes this program.
type built struct {
	// Version is "(devel)" for a checkout. Revision ends with "-dirty" if files were changed.
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
	// Between these versions the formulas hold.
	OldestKubernetes string   `json:"oldestKubernetes"`
	NewestKubernetes string   `json:"newestKubernetes"`
	Kubelets         []string `json:"kubelets"`
	RunSchema        string   `json:"runSchema"`
}

func newBuilt() built {
	b := built{
		Version: "unknown", Go: runtime.Version(), OldestKubernetes: formula.OldestKnown,
		NewestKubernetes: formula.NewestKnown, Kubelets: kubelet.Versions(), RunSchema: runs.Schema,
	}
	info, known := debug.ReadBuildInfo()
	if !known {
		return b
	}
	b.Version = cmp.Or(info.Main.Version, b.Version)
	dirty := false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			dirty = s.Value == "true"
		}
	}
	if dirty {
		b.Revision += "-dirty"
	}
	return b
}

func (b built) name() string { return cmp.Or(b.Revision, b.Version) }

func (b built) String() string {
	revision := ""
	if b.Revision != "" {
		revision = ", revision " + b.Revision
	}
	return fmt.Sprintf("podclock %s%s, built with %s\n", b.Version, revision, b.Go) +
		fmt.Sprintf("formulas read in Kubernetes %s to %s; kubelets to put under test: %s\n",
			b.OldestKubernetes, b.NewestKubernetes, strings.Join(b.Kubelets, ", ")) +
		fmt.Sprintf("saved runs of the format %s\n", b.RunSchema)
}
