package cli

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/host/option"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/node/external"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/images"
	"github.com/podclock/podclock/reports/cli/consent"
	"github.com/podclock/podclock/reports/cli/shell"
)

const onKind = "kind"

type externalOptions struct {
	on    string // onKind or session.OnExternal
	where external.Options
	allow []string
	yes   bool
	// pullSecret makes the cluster pull with the credentials that docker stored.
	pullSecret bool
	// atOnce bounds the nodes of a wave.
	atOnce int
	shard  string
}

func (o *externalOptions) flags(command *cobra.Command, config *session.Config) {
	set := command.Flags()
	set.Var(option.Renamed(option.OneOf(&o.on, onKind, session.OnExternal), "on", "existing", session.OnExternal), "on",
		"kind: boot a cluster; external: use nodes of a cluster that podclock did not make (default kind)")
	set.StringVar(&o.where.Kubeconfig, "kubeconfig", "", "the kubeconfig of --on=external (default as kubectl)")
	set.StringVar(&o.where.Context, "context", "", "its context (default the current one)")
	set.StringSliceVar(&o.where.Nodes, "nodes", nil, "the nodes of --on=external, by name (default one of each group)")
	set.StringVar(&o.where.NodeSelector, "node-selector", "", "only nodes whose labels match")
	set.IntVar(&o.where.Sample, "sample", 0, "the number of nodes of each group, or of each value of --per")
	set.StringVar(&o.where.Per, "per", "", "a label: --sample nodes of each of its values")
	set.StringVar(&o.shard, "shard", "",
		"the driver's number from 0 and the number of drivers that share the nodes, such as 0/3")
	set.IntVar(&o.atOnce, "at-once", session.MostAtOnce,
		"the most nodes at one time: more are played in waves, as a fleet")
	set.StringSliceVar(&o.allow, "allow", nil,
		"what trials may do to nodes of others, separated by commas: "+strings.Join(consent.Harms(), ", "))
	set.StringVar(&config.Images, "images", "",
		"where --on=external pulls podclock's images from, or their references, separated by commas (default: each "+
			"node has them)")
	set.BoolVar(&o.pullSecret, "pull-secret", false,
		"the nodes pull --images with what docker login stored here, as a Secret in the run's namespace")
	set.BoolVarP(&o.yes, "yes", "y", false, "use the cluster of --on=external without a question")
	option.Variables(set, "on", "nodes", "node-selector", "sample", "per", "shard", "at-once", "allow", "images",
		"pull-secret")
	shell.CompleteWords(command, "on", onKind, session.OnExternal)
	shell.CompleteWords(command, "allow", consent.Harms()...)
}

// collectAt is how much garbage there may be, in percent of what is in use. It bounds a driver's memory, for a little
// CPU time (docs/fleet.md).
const collectAt = 10

// find finds the nodes of an external cluster, if the user named one.
func (o *externalOptions) find(ctx context.Context, config *session.Config) (err error) {
	if o.on != session.OnExternal {
		return o.unused(config)
	}
	if config.Subjects != "" {
		return option.Invalid("subjects", config.Subjects, "an external cluster has its own kubelets: choose --nodes")
	}
	if err := external.ValidSelector(o.where.NodeSelector); err != nil {
		return option.Invalid("node-selector", o.where.NodeSelector, "%w", err)
	}
	if o.atOnce < 1 {
		return option.Invalid("at-once", o.atOnce, "it must be a number of nodes, such as 10")
	}
	if o.where.Sample < 0 {
		return option.Invalid("sample", o.where.Sample, "it must be a number of nodes, such as 2")
	}
	if o.shard != "" {
		if o.where.Shard, err = external.ParseShard(o.shard); err != nil {
			return option.Invalid("shard", o.shard, "%w", err)
		}
	}
	if o.where.Allow, err = consent.Allowed(o.allow); err != nil {
		return err
	}
	if err := o.pull(ctx, config); err != nil {
		return err
	}
	debug.SetGCPercent(collectAt) // the driver of a fleet mostly waits
	config.External, err = external.Find(ctx, o.where)
	if err == nil && o.pullSecret && config.External.Refuses("create secrets") {
		err = option.Invalid("pull-secret", true, "the user may not create secrets: `podclock rbac` prints the right")
	}
	return err
}

// unused refuses flags that would name a cluster while podclock boots another.
func (o *externalOptions) unused(config *session.Config) error {
	w := o.where
	for flag, given := range map[string]bool{
		"kubeconfig": w.Kubeconfig != "", "context": w.Context != "", "nodes": len(w.Nodes) > 0,
		"node-selector": w.NodeSelector != "", "sample": w.Sample != 0, "per": w.Per != "", "shard": o.shard != "",
		"allow": len(o.allow) > 0, "images": config.Images != "", "pull-secret": o.pullSecret,
		"at-once": o.atOnce != session.MostAtOnce,
	} {
		if given {
			return fmt.Errorf("--%s is about an external cluster: give --on=external as well", flag)
		}
	}
	return nil
}

// agree says what a run will do to a cluster, and asks.
func (o *externalOptions) agree(c *cobra.Command, config session.Config, selected []runner.Selection) error {
	if config.External == nil {
		return nil
	}
	consent.Announce(c.ErrOrStderr(), config.External, selected, o.atOnce)
	if o.yes {
		return nil
	}
	return consent.Confirm(c, "Run on this cluster?")
}

// pull checks from where an external cluster pulls images, and reads the credentials for it.
func (o *externalOptions) pull(ctx context.Context, config *session.Config) error {
	refs, err := images.ParseRefs(config.Images)
	place := config.Images
	if err == nil && refs != nil {
		place, _, _ = strings.Cut(refs[images.Fault], "/"+images.Fault+":")
	}
	if err == nil && place != "" {
		err = images.ValidPlace(place)
	}
	if err != nil {
		return option.Invalid("images", config.Images, "%w", err)
	}
	if !o.pullSecret {
		return nil
	}
	secret, err := images.PullSecret(ctx, place)
	if err != nil {
		return option.Invalid("pull-secret", true, "%w", err)
	}
	config.PullSecret = secret
	return nil
}
