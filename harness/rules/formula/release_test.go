package formula

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestRelease(t *testing.T) {
	for version, want := range map[string]string{
		"v1.36.3": "v1.36.3", "v1.34.4-gke.1047000": "v1.34.4", "v1.33.5-eks-3025e55": "v1.33.5",
		"v1.35.1+k3s1": "v1.35.1", "v1.38.0-alpha.1": "v1.38.0-alpha.1", "v1.37.0-rc.0": "v1.37.0-rc.0",
	} {
		NewWithT(t).Expect(Release(version)).To(Equal(want))
	}
}
