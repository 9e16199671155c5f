package session

import (
	"fmt"
	"regexp"

	"github.com/onsi/ginkgo/v2/types"
	"github.com/spf13/pflag"

	"github.com/podclock/podclock/harness/host/option"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
)

// SuiteName is the first word of the text that focus and skip match, as in the Ginkgo suite.
const SuiteName = "podclock"

// AddFocusFlag adds --focus and its variable, for commands without the other flags of a selection.
func (c *Config) AddFocusFlag(set *pflag.FlagSet) {
	set.StringVar(&c.Focus, "focus", "", "a regular expression: only trials whose subject and ID match")
	option.Variable(set, "focus", "FOCUS")
}

// AddSelectionFlags adds --focus, --skip, --label-filter and --within with their variables.
func (c *Config) AddSelectionFlags(set *pflag.FlagSet) {
	c.AddFocusFlag(set)
	set.StringVar(&c.Skip, "skip", "", "a regular expression: no trials whose subject and ID match")
	option.Variable(set, "skip", "SKIP")
	set.StringVar(&c.Labels, "label-filter", "",
		"labels and areas with !, &&, || and parentheses, such as 'probes && !startup'")
	option.Variable(set, "label-filter", "LABELS")
	set.DurationVar(&c.Within, "within", 0, "choose the trials that find the most within this time, from the first "+
		"start to the last verdict on this host, such as 3m")
	option.Variable(set, "within", "WITHIN")
}

// Select returns the profile's trials on every subject that focus, skip and the label filter leave, and of those the
// ones that fit into the time. Focus and skip match "podclock SUBJECT ID". A trial for virtual nodes only has no real
// node as a subject. The configuration must be resolved. No trial is an error.
func (c Config) Select(catalogue []trial.Trial) ([]runner.Selection, Choice, error) {
	if c.Within < 0 {
		return nil, Choice{}, option.Invalid("within", c.Within, "it must be how long the trials may take, such as 3m")
	}
	matches, err := c.matcher()
	if err != nil {
		return nil, Choice{}, err
	}
	var selected []runner.Selection
	for _, subject := range c.subjects {
		for _, t := range catalogue {
			here := !t.VirtualOnly() || subject.Lane() == run.VirtualLane
			if here && c.Profile.Holds(t) && matches(subject.String(), t) {
				selected = append(selected, runner.Selection{Trial: t, Subject: subject.String()})
			}
		}
	}
	if len(selected) == 0 {
		return nil, Choice{}, fmt.Errorf("no trial of the profile %s is selected by focus %q, skip %q, label filter "+
			"%q; podclock run --dry-run lists trials, --profile=full has all %d, and some need a virtual subject",
			c.Profile, c.Focus, c.Skip, c.Labels, len(catalogue))
	}
	if c.Within == 0 {
		return selected, Choice{}, nil
	}
	kills, err := c.Kills()
	if err != nil {
		return nil, Choice{}, err
	}
	if c.External == nil {
		c.slower = slower()
	}
	kept, choice := c.choose(selected, kills)
	if len(kept) == 0 {
		return nil, choice, option.Invalid("within", c.Within, "no selected trial is that short on this host")
	}
	return kept, choice, nil
}

func (c Config) matcher() (func(subject string, t trial.Trial) bool, error) {
	focus, err := regexp.Compile(c.Focus)
	if err != nil {
		return nil, option.Invalid("focus", c.Focus, "it must be a regular expression: %w", err)
	}
	skip, err := regexp.Compile(c.Skip)
	if err != nil {
		return nil, option.Invalid("skip", c.Skip, "it must be a regular expression: %w", err)
	}
	// Ginkgo's own error is a coloured page.
	labels, err := types.ParseLabelFilter(c.Labels)
	if err != nil {
		return nil, option.Invalid("label-filter", c.Labels,
			"it can't be read: write labels with !, &&, || and parentheses, such as 'probes && !http'")
	}
	return func(subject string, t trial.Trial) bool {
		text := SuiteName + " " + subject + " " + t.ID
		return focus.MatchString(text) && (c.Skip == "" || !skip.MatchString(text)) && labels(LabelsOf(t))
	}, nil
}

// LabelsOf returns a trial's area and its own labels.
func LabelsOf(t trial.Trial) []string { return append([]string{t.Area()}, t.Labels...) }
