package builder

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/images/node"
)

// newRecipe returns the recipe of a subject with the virtual node's code for a branch, by default the nearest one.
func newRecipe(ctx context.Context, s kubelets.Subject, branch, source string) (recipe, error) {
	if err := s.Validate(); err != nil {
		return recipe{}, err
	}
	branch = cmp.Or(branch, s.Nearest()[0])
	r := recipe{subject: s, branch: branch, pin: pinOf(s), flags: node.BuildFlags(s.Stamp())}
	r.mutation, _ = mutation.Find(s.Mutation)
	var err error
	if source == "" {
		if source, err = sourceFolder(ctx); err != nil {
			return recipe{}, err
		}
	}
	if s.Virtual {
		r.flags = append(r.flags, "-tags", virtualTags(branch))
		if r.virtual, err = readVirtualSource(source); err != nil {
			return recipe{}, err
		}
	}
	folder := filepath.Join(source, filepath.FromSlash(r.pin.folder))
	r.modules, err = r.pin.read(source)
	var language string
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if !s.Virtual {
			r.stub, _ = readFolders(source, iptablesStub)
		}
		language, err = r.language(ctx, source)
		r.goVersion = language
	case err == nil:
		language, err = goVersion(folder)
	}
	if err != nil {
		return recipe{}, err
	}
	r.toolchain, r.goroot, err = toolchain(ctx, source, language)
	return r, err
}
