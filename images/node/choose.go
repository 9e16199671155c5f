package node

import (
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"golang.org/x/mod/semver"
)

// What NODE_IMAGE may ask for, beside an image's reference.
const (
	// RequestBuild asks for the image built here.
	RequestBuild = "build"
	// RequestPublished asks for the image that kind's maintainers publish.
	RequestPublished = "published"
)

// outlook is what is known when an image is chosen.
type outlook struct {
	// Request is NODE_IMAGE: empty, build, published or a reference.
	Request string
	// Built is the reference a build would have, Published that of the published image.
	Built, Published string
	// HaveBuilt and HavePublished say that the engine has that image.
	HaveBuilt, HavePublished bool
	// InReach answers whether a registry would hand out the published image. It is asked only where the answer counts,
	// because asking can take seconds.
	InReach func() bool
}

// choose returns the reference of the image to use and whether it is to be built first.
//
// Without a request, an image the engine has already is taken before any registry is asked: a run without a
// network is no slower and runs do not change their image under way. Among two, ours goes first, since it
// is there only because the published one was not in reach once, or because it was asked for.
func choose(o outlook) (ref string, build bool) {
	switch {
	case o.Request == RequestBuild:
		return o.Built, !o.HaveBuilt
	case o.Request == RequestPublished:
		return o.Published, false // kind pulls it, and says so when it can't
	case o.Request != "":
		return o.Request, false
	case o.HaveBuilt:
		return o.Built, false
	case o.HavePublished || o.InReach():
		return o.Published, false
	}
	return o.Built, true
}

// publishedRef is the published image of a Kubernetes version. kindDefault is the one kind names as its
// default, with tag and digest. For another version of Kubernetes there is no digest to pin it by: its
// maintainers publish an image for most versions under the same name, and whether for this one, only the
// registry knows.
func publishedRef(kindDefault, kubernetesVersion string) string {
	tagged, _, _ := strings.Cut(kindDefault, "@")
	colon := strings.LastIndex(tagged, ":")
	if tagged[colon+1:] == kubernetesVersion {
		return kindDefault
	}
	return fmt.Sprintf("%s:%s", tagged[:colon], kubernetesVersion)
}

// kubernetesOf reads the Kubernetes version out of a reference whose tag is one; else it is not known
// before the node runs.
func kubernetesOf(ref string) string {
	tagged, _, _ := strings.Cut(ref, "@")
	tag := tagged[strings.LastIndex(tagged, ":")+1:]
	if semver.IsValid(tag) && strings.Count(tag, ".") >= 2 {
		return tag
	}
	return ""
}

// ValidateRequest says what is wrong with NODE_IMAGE as a value, nil when nothing is. It asks no engine and
// no registry.
func ValidateRequest(request string) error {
	switch request {
	case "", RequestBuild, RequestPublished:
		return nil
	}
	if _, err := name.ParseReference(request); err != nil {
		return fmt.Errorf("it is neither %s, %s nor an image's reference: %w", RequestBuild, RequestPublished, err)
	}
	return nil
}
