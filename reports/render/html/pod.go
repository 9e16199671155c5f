package html

import (
	"cmp"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/podclock/podclock/harness/measure/trial"
)

func manifest(t trial.Trial) (string, error) {
	var documents []string
	for _, p := range append([]*corev1.Pod{t.Pod}, t.Companions...) {
		shown := map[string]any{"spec": p.Spec}
		metadata := map[string]any{}
		if p.Name != "" {
			metadata["name"] = p.Name
		}
		if len(p.Labels) > 0 {
			metadata["labels"] = p.Labels
		}
		if len(p.Annotations) > 0 {
			metadata["annotations"] = p.Annotations
		}
		if len(metadata) > 0 {
			shown["metadata"] = metadata
		}
		text, err := yaml.Marshal(shown)
		if err != nil {
			return "", fmt.Errorf("writing the pod of trial %s as YAML: %w", t.ID, err)
		}
		documents = append(documents, strings.ReplaceAll(string(text), "    resources: {}\n", ""))
	}
	return strings.Join(documents, "---\n"), nil
}

func faults(t trial.Trial) []string {
	var all []string
	for _, c := range t.Faults {
		s := string(c.Action)
		if c.Pod != "" {
			s += " " + c.Pod
		}
		if c.GracePeriodSeconds != nil {
			s += fmt.Sprintf(" with gracePeriodSeconds %d", *c.GracePeriodSeconds)
		}
		when := cmp.Or(c.When.String(), "the start of all containers")
		if c.After == 0 {
			s += " at " + when
		} else {
			s += fmt.Sprintf(", %v after %s", c.After, when)
		}
		if c.Refused {
			s += "; is to be refused"
		}
		all = append(all, s)
	}
	return all
}
