// Package disturbance runs one selection of trials under disturbances of their nodes, one after another,
// and tells what the verdicts became: a clean kubelet must never deviate because of one, and a mutant that
// does without must never conform.
package disturbance

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"github.com/caarlos0/env/v11"

	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/suites"
)

// Config is what is disturbed and how. A user sets it in the environment or as `make disturb NAME=value`,
// beside a session's own variables.
type Config struct {
	// Names are the disturbances, separated by commas; all where it is empty.
	Names string `env:"DISTURBANCES"`
	// Focus is a regular expression that chooses trials as Ginkgo's --focus does; Chosen where it is empty.
	Focus string `env:"FOCUS"`

	disturbances []Disturbance
	session      session.Config
	selected     []stage.Selection
}

// subjects are the clean kubelet and mutants of three kinds: of probes, of hooks, of grace periods.
const subjects = "v1.36.3,v1.36.3+resultrun-one,v1.36.3+hook-not-subtracted,v1.36.3+no-minimum-grace"

// Chosen are trials of at most half a minute with claims of every kind: probes by HTTP, TCP and exec, their
// counts and distances, readiness, restarts, hooks, grace periods, exit codes, evictions by the API, second
// deletes.
var Chosen = []string{
	"probes/grid-http-p2-n2-t2-d0",
	"probes/grid-tcp-p3-n2-t1-d0",
	"probes/grid-exec-p3-n1-t4-d7",
	"probes/streak-survives-crash",
	"probes/readiness-fault-and-recovery",
	"restarts/startup-every-3s",
	"termination/grace-1",
	"termination/grace-2",
	"termination/hook-hangs",
	"termination/force-hook-hangs",
	"termination/exec-hook-3500ms-of-10s",
	"termination/exits-after-2500ms",
	"deletion/eviction",
	"deletion/second-shorter",
}

// ParseConfig reads the environment and checks everything that can be checked before anything is built or
// booted. The error is one line that names the variable and the remedy.
func ParseConfig(environment map[string]string) (Config, error) {
	c, err := env.ParseAsWithOptions[Config](env.Options{Environment: environment})
	if err != nil {
		return Config{}, errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	if c.disturbances, err = Parse(c.Names); err != nil {
		return Config{}, fmt.Errorf("DISTURBANCES=%s: %w", c.Names, err)
	}
	focus, err := regexp.Compile(cmp.Or(c.Focus, "("+strings.Join(Chosen, "|")+")$"))
	if err != nil {
		return Config{}, fmt.Errorf("FOCUS=%s: %w", c.Focus, err)
	}
	environment = maps.Clone(environment)
	if environment["SUBJECTS"] == "" {
		environment["SUBJECTS"] = subjects
	}
	if c.session, err = session.ParseConfig(environment); err != nil {
		return Config{}, err
	}
	if err := c.checkSubjects(); err != nil {
		return Config{}, err
	}
	for _, subject := range c.session.SubjectNames() {
		for _, t := range suites.Catalogue() {
			if c.session.Profile.Holds(t) && focus.MatchString("podclock "+subject+" "+t.ID) {
				c.selected = append(c.selected, stage.Selection{Trial: t, Subject: subject})
			}
		}
	}
	if len(c.selected) == 0 {
		return Config{}, fmt.Errorf("FOCUS=%s selects no trial of the profile %s", c.Focus, c.session.Profile)
	}
	return c, nil
}

// checkSubjects makes sure that there is something to disturb and a clean kubelet to compare with.
func (c Config) checkSubjects() error {
	all, err := c.session.Lane.ParseSubjects(c.session.Subjects)
	if err != nil {
		return err
	}
	clean := false
	for _, s := range all {
		if s.Lane() != kubelet.LaneNode {
			return fmt.Errorf("SUBJECTS=%s: %s is virtual, and nothing disturbs a virtual node", c.session.Subjects, s)
		}
		clean = clean || s.Released()
	}
	if !clean {
		return fmt.Errorf("SUBJECTS=%s: none is a clean kubelet, whose trials must not deviate under a disturbance",
			c.session.Subjects)
	}
	return nil
}
