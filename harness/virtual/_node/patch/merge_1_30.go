//go:build !kubelet1_31

// Package patch merges JSON with Kubernetes' package for it.
package patch

import jsonpatch "github.com/evanphx/json-patch"

// Merge merges a patch into JSON (RFC 7386).
var Merge = jsonpatch.MergePatch
