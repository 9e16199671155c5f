package images

import (
	"fmt"
	"path"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/podclock/podclock/harness/measure/victim"
)

// OfContent reports whether a reference is of an image that podclock built: its tag is a hash of the content.
func OfContent(ref string) bool { return strings.HasPrefix(ref, local+"/") }

// ParseRefs reads references of images that `podclock images list` or save printed, separated by commas, and returns
// them by their images' names. A text without a comma is a place, and the result is nil.
func ParseRefs(text string) (map[string]string, error) {
	if !strings.Contains(text, ",") {
		return nil, nil
	}
	refs := map[string]string{}
	for ref := range strings.SplitSeq(text, ",") {
		ref = strings.TrimSpace(ref)
		parsed, err := name.ParseReference(ref, name.StrictValidation)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", ref, err)
		}
		refs[path.Base(parsed.Context().RepositoryStr())] = ref
	}
	for _, image := range []string{Fault, victim.OtherImage, victim.StopSignalImage, Recorder} {
		if refs[image] == "" {
			return nil, fmt.Errorf("the image %s is missing: `podclock images list` prints the references", image)
		}
	}
	return refs, nil
}
