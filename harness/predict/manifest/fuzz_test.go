package manifest

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

// FuzzRead reads any text: it must be refused with problems and without objects, or give pods with the API's
// defaults.
func FuzzRead(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Read(strings.NewReader(text), "")
		if err != nil {
			var invalid *Invalid
			if !errors.As(err, &invalid) || len(invalid.Problems) == 0 || !reflect.DeepEqual(m, Manifest{}) {
				t.Fatalf("%v, and still %v", err, m)
			}
			for _, p := range invalid.Problems {
				if p.Document < 1 || p.Line < 1 || p.Line > strings.Count(text, "\n")+1 || p.Wrong == "" {
					t.Fatalf("%+v", p)
				}
			}
			return
		}
		for _, o := range m.Objects {
			if o.Document < 1 || o.Line < 1 || o.Kind == "" || o.Name == "" || o.LineOf(o.PodPath) < 1 {
				t.Fatalf("%+v", o)
			}
			spec := o.Pod.Spec
			if spec.TerminationGracePeriodSeconds == nil || *spec.TerminationGracePeriodSeconds < 0 ||
				spec.RestartPolicy == "" ||
				len(spec.Containers) == 0 {
				t.Fatalf("%+v", spec)
			}
		}
	})
}
