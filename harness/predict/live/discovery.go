package live

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// resources returns all resources of the API server, each with its group and version: those of the core first, and
// those of a group's preferred version before its others. client-go's discovery has the types of all groups, which
// makes a program 8 MB larger.
func (s *server) resources(ctx context.Context) ([]metav1.APIResource, error) {
	if s.served != nil {
		return s.served, nil
	}
	var core metav1.APIVersions
	var others metav1.APIGroupList
	err := s.ask(ctx, "/api", &core)
	if err == nil {
		err = s.ask(ctx, "/apis", &others)
	}
	if err != nil {
		return nil, s.explain(err, "get", "/apis", "")
	}
	var paths []string
	for _, v := range core.Versions {
		paths = append(paths, "/api/"+v)
	}
	for _, g := range others.Groups {
		paths = append(paths, "/apis/"+g.PreferredVersion.GroupVersion)
		for _, v := range g.Versions {
			if v != g.PreferredVersion {
				paths = append(paths, "/apis/"+v.GroupVersion)
			}
		}
	}
	lists := make([]metav1.APIResourceList, len(paths))
	var asking errgroup.Group
	asking.SetLimit(mostAtOnce)
	for i, path := range paths {
		asking.Go(func() error {
			_ = s.ask(ctx, path, &lists[i]) // a group whose own server is away has none, as for kubectl
			return nil
		})
	}
	_ = asking.Wait()
	for _, list := range lists {
		version := schema.FromAPIVersionAndKind(list.GroupVersion, "")
		for _, r := range list.APIResources {
			if r.Group, r.Version = version.Group, version.Version; !strings.Contains(r.Name, "/") {
				s.served = append(s.served, r)
			}
		}
	}
	return s.served, nil
}

func (s *server) ask(ctx context.Context, path string, into any) error {
	answer := s.CoreV1().RESTClient().Get().AbsPath(path).SetHeader("Accept", runtime.ContentTypeJSON).Do(ctx)
	text, err := answer.Raw()
	if err != nil {
		return answer.Error()
	}
	return json.Unmarshal(text, into)
}

// pick returns the resource that kubectl takes for a TYPE. A full name goes before a short one, and a whole group
// before its beginning (k8s.io/client-go restmapper/shortcut.go).
func pick(all []metav1.APIResource, as schema.GroupVersionResource) (r metav1.APIResource, found bool) {
	whole := func(group string) bool { return as.Group == "" || group == as.Group }
	begun := func(group string) bool { return strings.HasPrefix(group, as.Group) }
	full := func(r metav1.APIResource) []string { return []string{r.Name, r.SingularName, strings.ToLower(r.Kind)} }
	short := func(r metav1.APIResource) []string { return r.ShortNames }
	for _, in := range []func(string) bool{whole, begun} {
		for _, names := range []func(metav1.APIResource) []string{full, short} {
			i := slices.IndexFunc(all, func(r metav1.APIResource) bool {
				return in(r.Group) && (as.Version == "" || as.Version == r.Version) &&
					slices.Contains(names(r), as.Resource)
			})
			if i >= 0 {
				return all[i], true
			}
		}
	}
	return r, false
}
