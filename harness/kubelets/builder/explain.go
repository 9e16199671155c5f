package builder

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/mutation"
)

// movedError is about podclock's own code, which does not compile with a tree or a pre-release.
type movedError struct{ error }

var (
	// ownLine is a line of the compiler about podclock's own code.
	ownLine = regexp.MustCompile(`(?m)^(?:\./)?harness/\S+\.go:\d.*$`)
	// incomplete is in an error about the tree's go.mod or go.sum.
	incomplete = regexp.MustCompile(`updates to go\.mod needed|missing go\.sum entry`)
	inTree     = regexp.MustCompile(`(?m)^(?:\./)?kubernetes/`)
)

var undefined = regexp.MustCompile(`undefined: \w+\.(\w+)`)

// hidden says what a replaced file of the tree declares and podclock's own file does not, or "".
func (r recipe) hidden(printed string) string {
	for _, name := range undefined.FindAllStringSubmatch(printed, -1) {
		for file, hook := range map[string]string{mutation.DialerFile: dialerHook, kernelLogFile: kernelLogHook} {
			declared := regexp.MustCompile(`\b` + name[1] + `\b`)
			text, err := os.ReadFile(filepath.Join(r.source, filepath.FromSlash(file)))
			if err == nil && r.subject.Virtual && declared.Match(text) && !declared.Match(r.virtual[hook]) {
				return fmt.Sprintf("podclock's %s has no %s", file, name[1])
			}
		}
	}
	return ""
}

// explain says whether the tree or podclock's own code does not compile.
func (r recipe) explain(err error) error {
	var compiling CompileError
	if r.source == "" && semver.Prerelease(r.subject.Version) == "" {
		return r.pin.explain(err)
	}
	if !errors.As(err, &compiling) {
		return err
	}
	tree := cmp.Or(r.subject.Tree.String(), r.subject.Version)
	if own := ownLine.FindAllString(compiling.Printed, -1); own != nil {
		const format = "the API of %s moved: podclock's own code for the nearest release does not compile with it: %s"
		return movedError{fmt.Errorf(format, tree, kubelets.FirstLines(strings.Join(own, "\n")))}
	}
	if r.source == "" {
		return err
	}
	if missing := r.hidden(compiling.Printed); missing != "" {
		const format = "the API of %s moved: podclock replaces a file of it in the virtual lane, and %s: %s"
		return movedError{fmt.Errorf(format, tree, missing, kubelets.FirstLines(compiling.Printed))}
	}
	if incomplete.MatchString(compiling.Printed) {
		const format = "the module files of %s do not pin all that it is built from: %s: run hack/update-vendor.sh " +
			"in it"
		return fmt.Errorf(format, tree, kubelets.FirstLines(compiling.Printed))
	}
	lines := inTree.ReplaceAllString(compiling.Printed, r.subject.Tree.Path+"/")
	return fmt.Errorf("%s does not compile: %s", tree, kubelets.FirstLines(lines))
}
