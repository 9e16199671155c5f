package builder

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/mutation"
)

type recipe struct {
	subject   kubelets.Subject
	branch    string              // whose code the virtual node has
	mutation  mutation.Mutation   // the zero value for a released kubelet
	together  []mutation.Mutation // those that a program can choose from
	pin       pin
	source    string // the folder of a source tree, empty for a release
	modules   moduleFiles
	goVersion string        // of derived module files, empty if they are pinned
	goroot    string        // of a Go that is newer than the installed one, or empty
	virtual   virtualSource // nil in the node lane
	stub      virtualSource // that a real kubelet may need, see substitute
	built     mutation.Component
	files     map[string][]byte // see [Options.Files]
	flags     []string
	toolchain string
}

// derivation must change when a release gives other derived module files.
const derivation = "derived 1"

// keyVersion must change when the same inputs give another binary, or are stored in another way.
const keyVersion = "2"

func (r recipe) key() string {
	hash := sha256.New()
	if r.goVersion != "" {
		_, _ = fmt.Fprintf(hash, "%q\n", []string{derivation, r.goVersion, r.subject.Version})
	}
	for _, input := range []any{
		keyVersion, r.modules.goMod, r.modules.goSum, r.flags, r.toolchain,
		r.mutation.Module, r.mutation.File, r.mutation.Within, r.mutation.Now, r.mutation.Mutant,
	} {
		_, _ = fmt.Fprintf(hash, "%q\n", input)
	}
	if r.built != "" {
		_, _ = fmt.Fprintf(hash, "%q\n", r.built)
	}
	for _, m := range r.together {
		_, _ = fmt.Fprintf(hash, "%q\n", []string{m.Name, m.Module, m.File, m.Within, m.Now, m.Mutant})
	}
	if r.subject.Virtual {
		_, _ = fmt.Fprintf(hash, "%q\n", order())
	}
	for _, path := range slices.Sorted(maps.Keys(r.files)) {
		_, _ = fmt.Fprintf(hash, "%q %q\n", path, r.files[path])
	}
	for _, path := range r.virtual.paths() {
		_, _ = fmt.Fprintf(hash, "%q %q\n", path, r.virtual[path])
	}
	return hex.EncodeToString(hash.Sum(nil))
}

func (r recipe) String() string {
	what := "a " + string(r.component())
	if r.subject.Virtual {
		what = "a virtual node"
	}
	m := r.mutation
	if len(r.together) > 0 {
		return fmt.Sprintf("%s of %s with %d mutations to choose from", what, r.subject.Version, len(r.together))
	}
	if r.subject.Released() {
		return fmt.Sprintf("%s of %s as released", what, r.subject.Version)
	}
	const format = "%s of %s with %s in place of %s (%s, %s)"
	return fmt.Sprintf(format, what, r.subject.Version, m.Mutant, m.Now, m.Within, m.File)
}

const virtualName = "virtual-node"

func (r recipe) binaryName() string {
	if r.subject.Virtual {
		return virtualName
	}
	return string(r.component())
}

func (r recipe) program() string {
	if r.subject.Virtual {
		return virtualProgram
	}
	return mutation.Kubernetes + "/cmd/" + string(r.component())
}

// component returns the component that the program is. A virtual node contains all.
func (r recipe) component() mutation.Component {
	if len(r.together) > 0 {
		return r.together[0].Component
	}
	return cmp.Or(r.built, r.subject.Component())
}
