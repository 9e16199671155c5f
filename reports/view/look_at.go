package view

import (
	"fmt"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/podclock/podclock/harness/reach"
	"github.com/podclock/podclock/harness/rules/formula"
)

// lookAt returns the functions of Kubernetes in which the fault of a subject most likely is, as its deviations without
// a diagnosis show. It is empty if they do not tell, or if the subject's release is older than that of the map.
func lookAt(c Column, m reach.Map) string {
	version := formula.Release(c.Kubelet.Version)
	if semver.Compare(semver.MajorMinor(version), semver.MajorMinor(m.Version)) < 0 {
		return ""
	}
	var names []string
	for _, place := range m.LookAt(c.Outcomes) {
		names = append(names, place.String())
	}
	if names == nil {
		return ""
	}
	text := c.Name + ": " + strings.Join(names, "; ")
	if version != m.Version {
		text += fmt.Sprintf(" (what trials execute was measured in %s)", m.Version)
	}
	return text
}
