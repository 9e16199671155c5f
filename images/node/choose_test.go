package node

import (
	"testing"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/kind/pkg/apis/config/defaults"
)

func TestChoose(t *testing.T) {
	for title, c := range map[string]struct {
		request                  string
		haveBuilt, havePublished bool
		inReach                  bool
		wantRef                  string
		wantBuild, wantAsked     bool
	}{
		"nothing there, registry in reach":    {inReach: true, wantRef: "published", wantAsked: true},
		"nothing there, no registry":          {wantRef: "built", wantBuild: true, wantAsked: true},
		"built before: no registry is asked":  {haveBuilt: true, inReach: true, wantRef: "built"},
		"pulled before: no registry is asked": {havePublished: true, inReach: true, wantRef: "published"},
		"built and pulled before":             {haveBuilt: true, havePublished: true, wantRef: "built"},
		"build is asked for": {
			request: "build", havePublished: true, inReach: true, wantRef: "built", wantBuild: true,
		},
		"build is asked for and there":         {request: "build", haveBuilt: true, wantRef: "built"},
		"published is asked for, out of reach": {request: "published", haveBuilt: true, wantRef: "published"},
		"a reference is taken without a look": {
			request: "example/node:v1", haveBuilt: true, inReach: true, wantRef: "example/node:v1",
		},
		"a reference of a local image as it is":  {request: "localhost/my:node", wantRef: "localhost/my:node"},
		"published is asked for and in reach":    {request: "published", inReach: true, wantRef: "published"},
		"build is asked for, registry out there": {request: "build", inReach: true, wantRef: "built", wantBuild: true},
	} {
		t.Run(title, func(t *testing.T) {
			g := NewWithT(t)
			asked := false
			ref, build := choose(outlook{
				Request:       c.request,
				Built:         "built",
				Published:     "published",
				HaveBuilt:     c.haveBuilt,
				HavePublished: c.havePublished,
				InReach:       func() bool { asked = true; return c.inReach },
			})
			g.Expect(ref).To(Equal(c.wantRef))
			g.Expect(build).To(Equal(c.wantBuild))
			g.Expect(asked).To(Equal(c.wantAsked), "asking a registry takes seconds")
		})
	}
}

func TestPublishedRef(t *testing.T) {
	const kindDefault = "example/node:v1.37.0@sha256:abc"
	g := NewWithT(t)
	g.Expect(publishedRef(kindDefault, "v1.37.0")).To(Equal(kindDefault), "kind's own default keeps its digest")
	g.Expect(publishedRef(kindDefault, "v1.36.3")).To(Equal("example/node:v1.36.3"), "the digest is another version's")
	g.Expect(kubernetesOf(publishedRef(defaults.Image, "v1.36.3"))).To(Equal("v1.36.3"))
}

func TestKubernetesOf(t *testing.T) {
	for ref, want := range map[string]string{
		"example/node:v1.37.0@sha256:abc":    "v1.37.0",
		"host:5000/node:v1.36.3":             "v1.36.3",
		"example/node:v1.37.0-rc.1":          "v1.37.0-rc.1",
		"example/node:v1":                    "",
		"localhost/podclock/node:0123456789": "",
		"host:5000/node":                     "",
	} {
		NewWithT(t).Expect(kubernetesOf(ref)).To(Equal(want), ref)
	}
}
