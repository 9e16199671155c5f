package session

import (
	"github.com/podclock/podclock/harness/run"
)

// Environment is what this host says of itself, for the report of what is no session, with the settings of its own.
func Environment(root string, settings map[string]string) run.Environment {
	e := environment(Config{root: root})
	e.Settings = settings
	return e
}
