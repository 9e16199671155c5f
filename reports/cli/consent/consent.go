// Package consent has the commands about what podclock may do, and what it left, in a cluster that it did not make.
package consent

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/podclock/podclock/harness/host/option"
	"github.com/podclock/podclock/harness/host/screen"
	"github.com/podclock/podclock/harness/node/external"
	"github.com/podclock/podclock/reports/cli/shell"
)

// Rights returns the command that prints the ClusterRole.
func Rights() *cobra.Command {
	var allow []string
	command := &cobra.Command{
		Use:   "rbac",
		Short: "print the ClusterRole that a run on an external cluster needs",
		Long: "Print the ClusterRole that a run with --on=external needs, for kubectl apply. kubectl create " +
			"clusterrolebinding binds it to a user.",
		Args:    cobra.NoArgs,
		Example: "  podclock rbac\n  podclock rbac --allow=taints",
		RunE: func(c *cobra.Command, _ []string) error {
			allowed, err := Allowed(allow)
			if err != nil {
				return err
			}
			text, err := yaml.Marshal(external.ClusterRole(external.Rights(allowed...)))
			if err != nil {
				return err
			}
			_, err = c.OutOrStdout().Write(text)
			return err
		},
	}
	command.Flags().StringSliceVar(&allow, "allow", nil, "the values of --allow that the run will have")
	shell.CompleteWords(command, "allow", Harms()...)
	return command
}

// Clean returns the command that deletes what runs left.
func Clean() *cobra.Command {
	var where external.Options
	var yes, all bool
	command := &cobra.Command{
		Use:   "clean",
		Short: "delete what runs left in an external cluster",
		Long: "Delete the namespaces, taints and priority class that runs with --on=external left, and nothing else. " +
			"The pods of a run that was killed end by themselves within five minutes. A namespace whose recorder " +
			"runs is in use, and stays without --all.\n\nThe exit code is 1 if a namespace that is being deleted " +
			"waits for something, such as a finalizer.",
		Args:    cobra.NoArgs,
		Example: "  podclock clean --context=prod",
		RunE: func(c *cobra.Command, _ []string) error {
			left, err := external.FindLeft(c.Context(), where)
			if err != nil {
				return err
			}
			say := func(format string, args ...any) { _, _ = fmt.Fprintf(c.OutOrStdout(), format+"\n", args...) }
			if len(left.InUse) > 0 && !all {
				say("In use, and left alone without --all: %s", strings.Join(left.InUse, ", "))
			}
			if len(left.Ending) > 0 {
				say("Being deleted already: %s", strings.Join(left.Ending, ", "))
			}
			kept := 0
			for _, why := range left.Kept {
				say("Being deleted already: %s", why)
				kept = 1
			}
			remove := left.ToRemove(all)
			if len(remove) == 0 && kept == 0 {
				say("Context %s has nothing to clean.", left.Context())
			}
			if len(remove) == 0 {
				return shell.Ended(nil, kept)
			}
			say("To delete in context %s: %s", left.Context(), strings.Join(remove, ", "))
			if !yes {
				if err := Confirm(c, "Delete them?"); err != nil {
					return err
				}
			}
			return shell.Ended(left.Remove(c.Context(), all), kept)
		},
	}
	set := command.Flags()
	set.StringVar(&where.Kubeconfig, "kubeconfig", "", "the kubeconfig (default as kubectl)")
	set.StringVar(&where.Context, "context", "", "its context (default the current one)")
	set.BoolVarP(&yes, "yes", "y", false, "delete without a question")
	set.BoolVar(&all, "all", false, "delete namespaces in use as well")
	return command
}

// Harms returns the values of --allow.
func Harms() (names []string) {
	for _, h := range external.Harms() {
		names = append(names, string(h))
	}
	return names
}

// Allowed reads values of --allow.
func Allowed(names []string) (all []external.Harm, err error) {
	for _, name := range names {
		if !slices.Contains(Harms(), name) {
			return nil, option.Invalid("allow", name, "it must be among %s", strings.Join(Harms(), ", "))
		}
		all = append(all, external.Harm(name))
	}
	return all, nil
}

// Confirm asks on a terminal. Elsewhere it needs --yes.
func Confirm(c *cobra.Command, question string) error {
	if !screen.Of(os.Stdin).Terminal {
		return errors.New("nothing was changed: there is no terminal to ask, so give --yes")
	}
	_, _ = fmt.Fprint(c.ErrOrStderr(), question+" [y/N] ")
	answer, err := bufio.NewReader(c.InOrStdin()).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if !slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(answer))) {
		return errors.New("nothing was changed")
	}
	return nil
}
