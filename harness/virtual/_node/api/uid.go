package api

import (
	"crypto/sha256"
	"fmt"

	"github.com/google/uuid"
	"k8s.io/apimachinery/pkg/types"
)

// numbered is the source of the registry's random UIDs. It counts, so pods that are created in the same order have the
// same UIDs with one seed. The kubelet's maps have them as keys.
type numbered struct {
	seed uint64
	last int
}

func (n *numbered) Read(into []byte) (int, error) {
	n.last++
	sum := sha256.Sum256(fmt.Appendf(nil, "uid %d of %d", n.last, n.seed))
	return copy(into, sum[:]), nil
}

// uidOf returns the UID of any other object. It uses up no number, so another event changes no pod.
func uidOf(r gvr, namespace, name string) types.UID {
	return types.UID(uuid.NewSHA1(uuid.Nil, fmt.Appendf(nil, "%s %s/%s", r.Resource, namespace, name)).String())
}
