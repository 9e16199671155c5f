// Package repeat runs one selection again and again, and keeps the report of what the repeats say together
// up to date: how what was measured scatters inside its windows, and which verdicts were not the usual
// ones.
package repeat

import (
	"fmt"
	"maps"
	"strings"

	"github.com/caarlos0/env/v11"

	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/suites"
)

// Config is what is repeated and how often. A user sets it in the environment or as `make repeat
// NAME=value`, beside a session's own variables.
type Config struct {
	// Rounds is how many runs there are, Copies how many workers each subject has in every one of them: so
	// many repeats of it a round gives.
	Rounds int `env:"N"      envDefault:"50"`
	Copies int `env:"COPIES" envDefault:"1"`
	// Focus and Skip are regular expressions and Labels is a label filter, which choose trials as Ginkgo
	// does with --focus, --skip and --label-filter.
	Focus  string `env:"FOCUS"`
	Skip   string `env:"SKIP"`
	Labels string `env:"LABELS"`

	session  session.Config
	selected []stage.Selection
}

// ParseConfig reads the environment and checks everything that can be checked before anything is built or
// booted. The error is one line that names the variable and the remedy.
func ParseConfig(environment map[string]string) (Config, error) {
	c, err := env.ParseAsWithOptions[Config](env.Options{Environment: environment})
	if err != nil {
		return Config{}, fmt.Errorf("variables N and COPIES are whole numbers: %s",
			strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	if c.Rounds < 1 {
		return Config{}, fmt.Errorf("%s=%d: it is how many rounds there are, at least one", "N", c.Rounds)
	}
	if c.Copies < 1 {
		return Config{}, fmt.Errorf("COPIES=%d: it is how many workers each subject has, at least one", c.Copies)
	}
	if c.session, err = session.ParseConfig(environment); err != nil {
		return Config{}, err
	}
	if c.Copies > 1 {
		if c.session, err = c.copied(environment); err != nil {
			return Config{}, err
		}
	}
	choose, err := c.filter()
	if err != nil {
		return Config{}, err
	}
	if c.selected = selection(c.session, choose); len(c.selected) == 0 {
		return Config{}, fmt.Errorf(
			"no trial of the profile %s is selected by FOCUS=%q SKIP=%q LABELS=%q; PROFILE=full holds all %d",
			c.session.Profile, c.Focus, c.Skip, c.Labels, len(suites.Catalogue()))
	}
	return c, nil
}

// copied is the session's configuration with so many copies of each subject. They are spelled in full, so
// that they mean the same in any lane.
func (c Config) copied(environment map[string]string) (session.Config, error) {
	subjects, err := c.subjects()
	if err != nil {
		return session.Config{}, err
	}
	var names []string
	for _, s := range subjects {
		for _, one := range s.Copies(c.Copies) {
			names = append(names, one.String())
		}
	}
	environment = maps.Clone(environment)
	environment["SUBJECTS"] = strings.Join(names, ",")
	return session.ParseConfig(environment)
}

// subjects are the session's.
func (c Config) subjects() ([]kubelet.Subject, error) {
	return c.session.Lane.ParseSubjects(c.session.Subjects)
}
