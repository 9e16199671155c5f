package request

import (
	"fmt"
	"slices"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/predict/preset"
)

// presets returns those of the file and of flags, which prevail.
func (f file) presets(flags []string) (all []preset.Preset, err error) {
	for i, s := range slices.Concat(f.Presets, flags) {
		p, err := preset.Parse(s, effective.Longest)
		switch {
		case err != nil && i < len(f.Presets):
			return nil, fmt.Errorf("%s: presets: %w", f.path, err)
		case err != nil:
			return nil, fmt.Errorf("bad --preset=%w", err)
		}
		all = slices.DeleteFunc(all, func(o preset.Preset) bool { return o.Name == p.Name })
		all = append(all, p)
	}
	return all, nil
}
