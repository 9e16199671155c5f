package repeat

import (
	"fmt"
	"regexp"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/suites"
)

// suite is the name of the Ginkgo suite, which its --focus and --skip see before a spec's own text.
const suite = "podclock"

// filter is what Focus, Skip and Labels leave: the same trials as `make e2e` with them.
func (c Config) filter() (func(subject string, t trial.Trial) bool, error) {
	focus, err := regexp.Compile(c.Focus)
	if err != nil {
		return nil, fmt.Errorf("FOCUS=%s: %w", c.Focus, err)
	}
	skip, err := regexp.Compile(c.Skip)
	if err != nil {
		return nil, fmt.Errorf("SKIP=%s: %w", c.Skip, err)
	}
	labels, err := types.ParseLabelFilter(c.Labels)
	if err != nil {
		return nil, fmt.Errorf("LABELS=%s: %w", c.Labels, err)
	}
	return func(subject string, t trial.Trial) bool {
		text := suite + " " + subject + " " + t.ID
		return focus.MatchString(text) && (c.Skip == "" || !skip.MatchString(text)) &&
			labels(append([]string{t.Area()}, t.Labels...))
	}, nil
}

// selection is the profile's trials on every subject, as far as they are chosen.
func selection(c session.Config, choose func(subject string, t trial.Trial) bool) []stage.Selection {
	var selected []stage.Selection
	trials := suites.Catalogue()
	for _, subject := range c.SubjectNames() {
		for _, t := range trials {
			if c.Profile.Holds(t) && choose(subject, t) {
				selected = append(selected, stage.Selection{Trial: t, Subject: subject})
			}
		}
	}
	return selected
}
