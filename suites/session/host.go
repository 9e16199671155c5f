package session

import "github.com/podclock/podclock/reports"

// Root is the folder of podclock's source, at or above the working directory.
func Root() (string, error) { return projectRoot() }

// Inside is a path as the user gave it: a relative one is meant from the root.
func Inside(root, path string) string { return inside(root, path) }

// Environment is what this host says of itself, for the report of what is no session, with the settings of its own.
func Environment(root string, settings map[string]string) reports.Environment {
	e := environment(Config{root: root})
	e.Settings = settings
	return e
}
