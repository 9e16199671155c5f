//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

type description struct {
	file string
	// process is the key of the process object. Empty: the file is the process object.
	process string
}

// valueFlags are runc's global flags whose value is the next argument (runc's main.go).
var valueFlags = []string{"--root", "--log", "--log-format", "--criu", "--rootless"}

// descriptionOf returns the file that a runc command reads: the bundle's config.json for create and run, the process
// file for exec. Other commands read none.
func descriptionOf(args []string) (description, bool) {
	command := 0
	for command < len(args) && strings.HasPrefix(args[command], "-") {
		if slices.Contains(valueFlags, args[command]) {
			command++
		}
		command++
	}
	if command >= len(args) {
		return description{}, false
	}
	switch flags := args[command+1:]; args[command] {
	case "create", "run":
		bundle, _ := flag(flags, "--bundle", "-b")
		return description{file: filepath.Join(bundle, "config.json"), process: "process"}, true
	case "exec":
		file, found := flag(flags, "--process", "-p")
		return description{file: file}, found
	}
	return description{}, false
}

func flag(args []string, names ...string) (string, bool) {
	for i, arg := range args {
		for _, name := range names {
			if value, found := strings.CutPrefix(arg, name+"="); found {
				return value, true
			}
			if arg == name && i+1 < len(args) {
				return args[i+1], true
			}
		}
	}
	return "", false
}

func (d description) without(missing []string) error {
	content, err := os.ReadFile(d.file)
	if err != nil {
		return fmt.Errorf("reading the container's description: %w", err)
	}
	var spec map[string]any
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber() // a float64 would round device numbers and limits
	if err := decoder.Decode(&spec); err != nil {
		return fmt.Errorf("parsing the container's description %s: %w", d.file, err)
	}
	process := spec
	if d.process != "" {
		process, _ = spec[d.process].(map[string]any)
	}
	reduce(process, missing)
	content, err = json.Marshal(spec)
	if err != nil {
		return fmt.Errorf("encoding the container's description %s: %w", d.file, err)
	}
	if err := os.WriteFile(d.file, content, 0o600); err != nil {
		return fmt.Errorf("rewriting the container's description: %w", err)
	}
	return nil
}

// reduce removes the missing capabilities, and without CAP_SYS_RESOURCE the out-of-memory score and the limits.
func reduce(process map[string]any, missing []string) {
	if sets, ok := process["capabilities"].(map[string]any); ok {
		for name, set := range sets {
			if capabilities, ok := set.([]any); ok {
				sets[name] = slices.DeleteFunc(capabilities, func(c any) bool {
					s, isString := c.(string)
					return isString && slices.Contains(missing, s)
				})
			}
		}
	}
	if slices.Contains(missing, "CAP_SYS_RESOURCE") {
		delete(process, "oomScoreAdj")
		delete(process, "rlimits")
	}
}
