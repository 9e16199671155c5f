package kubelet

import (
	_ "unsafe" // for go:linkname

	utilrand "k8s.io/apimachinery/pkg/util/rand"
)

// virtualSeed is a variable of harness/virtual/hooks/runtime.go.txt.
//
//go:linkname virtualSeed runtime.virtualSeed
var virtualSeed uint64

// Seed decides the random numbers of the node: those of math/rand, and those of the package that seeds itself at its
// initialization, with the real time.
func Seed(seed uint64) {
	virtualSeed = seed
	utilrand.Seed(int64(seed))
}
