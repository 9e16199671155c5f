package run

import (
	"maps"
	"slices"
	"strings"

	"al.essio.dev/pkg/shellescape"
)

// Command returns the command line that runs the same trials again, except for the changed settings. It is empty if
// the run recorded no settings.
func (e Environment) Command(changed map[string]string) string {
	if len(e.Settings) == 0 {
		return ""
	}
	settings := maps.Clone(e.Settings)
	maps.Copy(settings, changed)
	command := "podclock run"
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		flag := strings.ToLower(strings.ReplaceAll(name, "_", "-"))
		if name == "LABELS" {
			flag = "label-filter"
		}
		command += " --" + flag + "=" + shellescape.Quote(settings[name])
	}
	return command
}
