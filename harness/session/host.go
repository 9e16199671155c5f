package session

import "github.com/podclock/podclock/reports"

// Environment is what this host says of itself, for the report of what is no session, with the settings of its own.
func Environment(root string, settings map[string]string) reports.Environment {
	e := environment(Config{root: root})
	e.Settings = settings
	return e
}
