// Package discovered answers a client's discovery, for the API servers of tests.
package discovered

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// clusterWide are the kinds of no namespace, namespaced the others that podclock's client reads or changes, by their
// group and version.
var (
	clusterWide = map[string][]string{
		"v1":                      {"Namespace", "Node"},
		"scheduling.k8s.io/v1":    {"PriorityClass"},
		"authorization.k8s.io/v1": {"SelfSubjectAccessReview"},
	}
	namespaced = map[string][]string{
		"v1":                     {"Pod", "Secret", "ServiceAccount"},
		"batch/v1":               {"Job"},
		"coordination.k8s.io/v1": {"Lease"},
	}
)

// Answer returns the answer to a question of discovery: /api, /apis, or the path of a version such as /api/v1. It is
// nil for any other path.
func Answer(path string) any {
	switch path {
	case "/api":
		return &metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}}
	case "/apis":
		return groups()
	}
	version, found := strings.CutPrefix(path, "/apis/")
	if !found {
		version = strings.TrimPrefix(path, "/api/")
	}
	list := &metav1.APIResourceList{
		TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: version,
	}
	add := func(kinds []string, inNamespace bool) {
		for _, kind := range kinds {
			plural := strings.ToLower(kind) + "s"
			if strings.HasSuffix(kind, "Class") {
				plural = strings.ToLower(kind) + "es"
			}
			list.APIResources = append(list.APIResources,
				metav1.APIResource{Name: plural, Kind: kind, Namespaced: inNamespace})
		}
	}
	add(clusterWide[version], false)
	add(namespaced[version], true)
	if len(list.APIResources) == 0 {
		return nil
	}
	return list
}

func groups() *metav1.APIGroupList {
	list := &metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	for _, kinds := range []map[string][]string{clusterWide, namespaced} {
		for version := range kinds {
			group, number, _ := strings.Cut(version, "/")
			if number == "" {
				continue // the core's group
			}
			served := metav1.GroupVersionForDiscovery{GroupVersion: version, Version: number}
			list.Groups = append(list.Groups, metav1.APIGroup{
				Name: group, Versions: []metav1.GroupVersionForDiscovery{served}, PreferredVersion: served,
			})
		}
	}
	return list
}
