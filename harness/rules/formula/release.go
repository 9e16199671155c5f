package formula

import "strings"

// Release returns the release of Kubernetes that a provider's build is of: v1.34.4 of v1.34.4-gke.1047000,
// v1.34.4-eks-3025e55 or v1.34.4+k3s1. Kubernetes' own builds before a release have no other.
func Release(version string) string {
	release, build, _ := strings.Cut(version, "-")
	for _, own := range []string{"alpha", "beta", "rc"} {
		if strings.HasPrefix(build, own) {
			return version
		}
	}
	release, _, _ = strings.Cut(release, "+")
	return release
}
