package gosource

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Choice is a changed function: the name that selects it, the function, and the source of its file with the change.
type Choice struct {
	Name, Within string
	Change       func(source []byte) ([]byte, error)
}

// Replacing returns a choice with other code, by the arguments of [Replace].
func Replacing(name, within, old, other string) Choice {
	return Choice{name, within, func(source []byte) ([]byte, error) { return Replace(source, within, old, other) }}
}

// Choose returns a file's source in which an environment variable selects one of several changes while the program
// runs. Every change must be in a function or method, whose body then begins with a switch to changed copies. Lines
// keep their numbers, and the code is as before if the variable names none of the choices.
func Choose(file string, source []byte, variable string, choices []Choice) ([]byte, error) {
	c := chooser{source: source, files: token.NewFileSet(), chosen: "chosenIn" + word(path.Base(file))}
	parsed, err := parser.ParseFile(c.files, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parsing the file: %w", err)
	}
	c.replace(parsed.Name.End(), parsed.Name.End(), fmt.Sprintf("; import os%s \"os\"", c.chosen))
	c.copies = fmt.Appendf(nil, "\nvar %s = os%[1]s.Getenv(%q)\n", c.chosen, variable)
	left := slices.Clone(choices)
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		own := slices.DeleteFunc(slices.Clone(left), func(o Choice) bool { return o.Within != FunctionName(f) })
		left = slices.DeleteFunc(left, func(o Choice) bool { return o.Within == FunctionName(f) })
		if err := c.add(f, own); err != nil {
			return nil, err
		}
	}
	if len(left) > 0 {
		return nil, fmt.Errorf("%s: %s is no function of the file, so nothing can be chosen while the program runs",
			left[0].Name, left[0].Within)
	}
	result := c.result()
	if _, err := parser.ParseFile(token.NewFileSet(), "", result, parser.SkipObjectResolution); err != nil {
		return nil, fmt.Errorf("the file with all choices is no Go: %w", err)
	}
	return result, nil
}

type chooser struct {
	source []byte
	files  *token.FileSet
	chosen string // the package's variable with the name of the choice
	edits  []edit
	copies []byte
}

type edit struct {
	from, to int
	text     string
}

func (c *chooser) replace(from, to token.Pos, text string) {
	c.edits = append(c.edits, edit{c.files.Position(from).Offset, c.files.Position(to).Offset, text})
}

func (c *chooser) add(f *ast.FuncDecl, choices []Choice) error {
	if len(choices) == 0 {
		return nil
	}
	callee := f.Name.Name
	if f.Recv != nil {
		callee = c.named(f.Recv, "receiver")[0] + "." + callee
	}
	arguments := strings.Join(c.named(f.Type.Params, "argument"), ", ")
	if n := len(f.Type.Params.List); n > 0 {
		if _, variadic := f.Type.Params.List[n-1].Type.(*ast.Ellipsis); variadic {
			arguments += "..."
		}
	}
	cases := ""
	for _, choice := range choices {
		if err := c.copy(choice); err != nil {
			return fmt.Errorf("%s: %w", choice.Name, err)
		}
		call := callee + word("-"+choice.Name) + "(" + arguments + ")"
		if f.Type.Results == nil {
			call += "; return"
		} else {
			call = "return " + call
		}
		cases += fmt.Sprintf(" case %q: %s;", choice.Name, call)
	}
	c.replace(f.Body.Lbrace+1, f.Body.Lbrace+1, fmt.Sprintf(" switch %s {%s };", c.chosen, cases))
	return nil
}

// named returns the names of parameters, or of the receiver, and gives one to those without.
func (c *chooser) named(fields *ast.FieldList, called string) (names []string) {
	for _, field := range fields.List {
		for _, n := range field.Names {
			name := n.Name
			if name == "_" {
				name = fmt.Sprintf("%s%d", called, len(names))
				c.replace(n.Pos(), n.End(), name)
			}
			names = append(names, name)
		}
		if len(field.Names) == 0 {
			name := fmt.Sprintf("%s%d", called, len(names))
			c.replace(field.Type.Pos(), field.Type.Pos(), name+" ")
			names = append(names, name)
		}
	}
	return names
}

// copy appends the changed function under another name.
func (c *chooser) copy(choice Choice) error {
	changed, err := choice.Change(c.source)
	if err != nil {
		return err
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", changed, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	part := func(from, to token.Pos) []byte {
		return changed[files.Position(from).Offset:files.Position(to).Offset]
	}
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && FunctionName(f) == choice.Within {
			c.copies = slices.Concat(c.copies, []byte("\n"), part(f.Pos(), f.Name.End()), []byte(word("-"+choice.Name)),
				part(f.Name.End(), f.End()), []byte("\n"))
		}
	}
	return nil
}

func (c *chooser) result() (all []byte) {
	slices.SortStableFunc(c.edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	at := 0
	for _, e := range c.edits {
		all = slices.Concat(all, c.source[at:e.from], []byte(e.text))
		at = e.to
	}
	return slices.Concat(all, c.source[at:], c.copies)
}

var notInWord = regexp.MustCompile(`[^A-Za-z0-9]+`)

// word returns a part of a Go identifier.
func word(name string) string { return notInWord.ReplaceAllString(name, "_") }
