package node

import (
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"golang.org/x/mod/semver"
)

// The values of NODE_IMAGE that are no image's reference.
const (
	// RequestBuild selects the image that podclock builds.
	RequestBuild = "build"
	// RequestPublished selects the image that kind's maintainers publish.
	RequestPublished = "published"
)

type outlook struct {
	// Request is NODE_IMAGE: empty, build, published or a reference.
	Request string
	// Built is the reference of podclock's own image, Published that of the published image.
	Built, Published string
	// HaveBuilt and HavePublished report whether the engine has that image.
	HaveBuilt, HavePublished bool
	// InReach reports whether a registry provides the published image. It can take seconds.
	InReach func() bool
}

// choose returns the reference of the image to use, and whether to build it first. It prefers an image that
// the engine has, so a series of runs keeps its image.
func choose(o outlook) (ref string, build bool) {
	switch {
	case o.Request == RequestBuild:
		return o.Built, !o.HaveBuilt
	case o.Request == RequestPublished:
		return o.Published, false // kind pulls it, or reports that it can't
	case o.Request != "":
		return o.Request, false
	case o.HaveBuilt:
		return o.Built, false
	case o.HavePublished || o.InReach():
		return o.Published, false
	}
	return o.Built, true
}

// publishedRef returns the published image of a Kubernetes version. kindDefault is kind's default, with tag and digest.
// For another version there is no digest.
func publishedRef(kindDefault, kubernetesVersion string) string {
	tagged, _, _ := strings.Cut(kindDefault, "@")
	colon := strings.LastIndex(tagged, ":")
	if tagged[colon+1:] == kubernetesVersion {
		return kindDefault
	}
	return fmt.Sprintf("%s:%s", tagged[:colon], kubernetesVersion)
}

// kubernetesOf returns the Kubernetes version in the tag of a reference, or "".
func kubernetesOf(ref string) string {
	tagged, _, _ := strings.Cut(ref, "@")
	tag := tagged[strings.LastIndex(tagged, ":")+1:]
	if semver.IsValid(tag) && strings.Count(tag, ".") >= 2 {
		return tag
	}
	return ""
}

// ValidateRequest checks the value of NODE_IMAGE without an engine or a registry.
func ValidateRequest(request string) error {
	switch request {
	case "", RequestBuild, RequestPublished:
		return nil
	}
	if _, err := name.ParseReference(request); err != nil {
		return fmt.Errorf("use %s, %s or an image's reference: %w", RequestBuild, RequestPublished, err)
	}
	return nil
}
