package drawn

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/builder"
	"github.com/podclock/podclock/harness/kubelets/gosource"
	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/kubelets/operator"
	"github.com/podclock/podclock/harness/reach"
)

// mostBuilds bounds the builds of one program. A package that does not compile hides the errors of those that import
// it.
const mostBuilds = 12

// build returns a virtual node with all mutants that compile. [mutation.Variable] selects one. It gives the others
// their status.
func (o Options) build(ctx context.Context, mutants []Mutant) (builder.Binary, error) {
	subject := kubelets.Subject{Virtual: true, Version: o.Reach.Version}
	for range mostBuilds {
		files, err := o.files(ctx, mutants)
		if err != nil {
			return builder.Binary{}, err
		}
		binary, err := builder.Build(ctx, subject, builder.Options{Source: o.Root, Log: o.Log, Files: files})
		var wrong builder.CompileError
		if !errors.As(err, &wrong) {
			return binary, err
		}
		if invalid(mutants, files, wrong.Printed) == 0 {
			return binary, err
		}
	}
	return builder.Binary{}, fmt.Errorf("the mutants do not compile after %d builds", mostBuilds)
}

// files returns the files with mutants, by their names.
func (o Options) files(ctx context.Context, mutants []Mutant) (map[string][]byte, error) {
	choices := map[string][]gosource.Choice{}
	for _, m := range mutants {
		if m.Status == "" {
			choices[m.File] = append(choices[m.File], gosource.Choice{
				Name: m.name, Within: m.Within, Change: func(source []byte) ([]byte, error) {
					return append(append(append([]byte{}, source[:m.from]...), m.Other...), source[m.to:]...), nil
				},
			})
		}
	}
	files := map[string][]byte{}
	source := reach.Sources(ctx, o.Reach.Version)
	for file, own := range choices {
		text, err := source(file)
		if err != nil {
			return nil, err
		}
		chosen, err := gosource.Choose(path.Base(file), text, mutation.Variable, own)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		name := "errorOf_" + own[0].Name // each file of a package declares its own
		chosen = fmt.Appendf(
			chosen,
			"\ntype %s struct{}\n\nfunc (%[1]s) Error() string { return \"a mutant's error\" }\n",
			name,
		)
		files[file] = []byte(strings.ReplaceAll(string(chosen), operator.ErrorName, name+"{}"))
	}
	return files, nil
}

// compilerError matches a line of the compiler: a file and a line.
var compilerError = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):\d+: (.*)$`)

// invalid marks the mutants whose code the compiler refuses, and returns their number.
func invalid(mutants []Mutant, files map[string][]byte, printed string) (marked int) {
	for _, found := range compilerError.FindAllStringSubmatch(printed, -1) {
		line, err := strconv.Atoi(found[2])
		if err != nil {
			continue
		}
		for file, text := range files {
			if !strings.HasSuffix(filepath.ToSlash(found[1]), "/"+strings.SplitN(file, "/", 3)[2]) {
				continue
			}
			name := copyAt(text, line)
			for i := range mutants {
				if m := &mutants[i]; m.File == file && m.name == name && m.Status == "" {
					m.Status, m.Because = Invalid, found[3]
					marked++
				}
			}
		}
	}
	return marked
}

// changedCopy matches the first line of a changed copy of a function.
var changedCopy = regexp.MustCompile(`^func .*?\b\w+_(m\d+)[\[(]`)

// copyAt returns the name of the mutant whose copy contains a line.
func copyAt(text []byte, line int) string {
	lines := strings.Split(string(text), "\n")
	for i := min(line, len(lines)) - 1; i >= 0; i-- {
		if found := changedCopy.FindStringSubmatch(lines[i]); found != nil {
			return found[1]
		}
	}
	return ""
}
