package v1alpha1

import (
	"fmt"

	"sigs.k8s.io/yaml"
)

// Read reads a report from YAML or JSON. It returns an error for unknown fields and for everything that
// [TimingConformanceReport.Validate] finds.
func Read(data []byte) (TimingConformanceReport, error) {
	var r TimingConformanceReport
	if err := yaml.UnmarshalStrict(data, &r); err != nil {
		return TimingConformanceReport{}, fmt.Errorf("this is no %s of %s: %w", Kind, APIVersion, err)
	}
	if wrong := r.Validate(); len(wrong) > 0 {
		return TimingConformanceReport{}, fmt.Errorf("this %s is not valid: %w", Kind, wrong.ToAggregate())
	}
	return r, nil
}

// Write returns a report as YAML. It returns an error if the report is not valid.
func Write(r TimingConformanceReport) ([]byte, error) {
	if wrong := r.Validate(); len(wrong) > 0 {
		return nil, fmt.Errorf("the %s of %s is not valid: %w", Kind, r.Subject.Name, wrong.ToAggregate())
	}
	data, err := yaml.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("writing the %s of %s: %w", Kind, r.Subject.Name, err)
	}
	return data, nil
}
