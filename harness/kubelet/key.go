package kubelet

import (
	"context"
	"fmt"
)

// Key is the hash, in hexadecimal, of everything that a subject's kubelet or virtual node is built from:
// module files, flags, toolchain, mutation. For a binary of the user's own it is the hash of the file.
// Nothing is built.
func Key(ctx context.Context, s Subject, o Options) (string, error) {
	if s.Own() {
		binary, err := s.takeOwn()
		return binary.SHA256, err
	}
	r, err := newRecipe(ctx, s, o.Source)
	if err != nil {
		return "", fmt.Errorf("hashing what kubelet %s is built from: %w", s, err)
	}
	return r.key(), nil
}
