package forecast

import (
	"cmp"
	"slices"

	"github.com/podclock/podclock/harness/predict/findings"
)

// Known returns the findings for a baseline, in the order of objects, fields and rules.
func (f Forecast) Known() (all []findings.Known) {
	for i := range f.Predictions {
		for _, found := range f.Predictions[i].Findings {
			all = append(all, found.Known(address(f.Predictions[i])))
		}
	}
	slices.SortFunc(all, func(a, b findings.Known) int {
		return cmp.Or(cmp.Compare(a.Object, b.Object), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Rule, b.Rule))
	})
	return slices.Compact(all)
}

// Ignore ignores the findings of a baseline. It returns its entries that fit no finding of their object. An object that
// the forecast lacks may be in other manifests.
func (f Forecast) Ignore(b findings.Baseline) (unfit []findings.Known) {
	objects, found := map[string]bool{}, map[findings.Known]bool{}
	for i := range f.Predictions {
		p := &f.Predictions[i]
		object := address(*p)
		objects[object] = true
		others, known := b.Split(object, p.Findings)
		p.Findings, p.Ignored = others, append(p.Ignored, known...)
		for _, ignored := range p.Ignored { // known ones may also be ignored for another reason
			found[ignored.Known(object)] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(b.Known), func(k findings.Known) bool {
		return found[k] || !objects[k.Object]
	})
}
