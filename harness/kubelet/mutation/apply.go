package mutation

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
)

// Apply returns the mutated source of the mutation's file, or an error if the code does not occur in its declaration
// exactly once, or if the result is no Go.
func (m Mutation) Apply(source []byte) ([]byte, error) {
	from, to, err := m.declaration(source)
	if err != nil {
		return nil, m.fail("%w", err)
	}
	now, err := tokens([]byte(m.Now))
	if err != nil {
		return nil, m.fail("reading %q: %w", m.Now, err)
	}
	mutant, err := tokens([]byte(m.Mutant))
	if err != nil {
		return nil, m.fail("reading %q: %w", m.Mutant, err)
	}
	if len(now) == 0 || slices.EqualFunc(now, mutant, lexeme.same) {
		return nil, m.fail("replacing %q by %q changes nothing", m.Now, m.Mutant)
	}
	all, err := tokens(source)
	if err != nil {
		return nil, m.fail("reading the file: %w", err)
	}
	var matches []int
	for i := 0; i+len(now) <= len(all); i++ {
		window := all[i : i+len(now)]
		if window[0].from >= from && window[len(now)-1].to <= to && slices.EqualFunc(window, now, lexeme.same) {
			matches = append(matches, i)
		}
	}
	if len(matches) != 1 {
		return nil, m.fail("%q occurs %d times instead of once; %s", m.Now, len(matches), adapt)
	}
	first, last := all[matches[0]], all[matches[0]+len(now)-1]
	mutated := slices.Concat(source[:first.from], []byte(m.Mutant), source[last.to:])
	if _, err := parser.ParseFile(token.NewFileSet(), m.File, mutated, parser.SkipObjectResolution); err != nil {
		return nil, m.fail("%q in place of %q is no Go: %w", m.Mutant, m.Now, err)
	}
	return mutated, nil
}

// adapt is the remedy for a mutation that does not match its source.
const adapt = "adapt the mutation to this version, or narrow its range of versions"

func (m Mutation) fail(format string, args ...any) error {
	return fmt.Errorf("mutation %s of %s in %s: %w", m.Name, m.Within, m.File, fmt.Errorf(format, args...))
}

// declaration returns the offsets of the mutation's declaration.
func (m Mutation) declaration(source []byte) (from, to int, err error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, m.File, source, parser.SkipObjectResolution)
	if err != nil {
		return 0, 0, fmt.Errorf("parsing the file: %w", err)
	}
	for _, d := range parsed.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if functionName(d) == m.Within {
				return files.Position(d.Pos()).Offset, files.Position(d.End()).Offset, nil
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				value, ok := spec.(*ast.ValueSpec)
				if ok && slices.ContainsFunc(value.Names, func(n *ast.Ident) bool { return n.Name == m.Within }) {
					return files.Position(spec.Pos()).Offset, files.Position(spec.End()).Offset, nil
				}
			}
		}
	}
	return 0, 0, errors.New("the file has no such function, method, constant or variable; " + adapt)
}

func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	receiver := f.Recv.List[0].Type
	for {
		switch t := receiver.(type) {
		case *ast.StarExpr:
			receiver = t.X
		case *ast.IndexExpr: // one type parameter
			receiver = t.X
		case *ast.IndexListExpr:
			receiver = t.X
		case *ast.Ident:
			return t.Name + "." + f.Name.Name
		default:
			return f.Name.Name
		}
	}
}

type lexeme struct {
	token    token.Token
	literal  string
	from, to int
}

func (l lexeme) same(other lexeme) bool {
	return l.token == other.token && l.literal == other.literal
}

// tokens splits source code into tokens. A semicolon that Go adds at the very end is left out.
func tokens(source []byte) ([]lexeme, error) {
	var faults scanner.ErrorList
	file := token.NewFileSet().AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, faults.Add, 0)
	var all []lexeme
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			break
		}
		length := len(literal)
		switch {
		case tok == token.SEMICOLON:
			length, literal = len(";"), ";"
		case tok.IsOperator():
			length = len(tok.String())
		}
		from := file.Offset(pos)
		all = append(all, lexeme{tok, literal, from, from + length})
	}
	if n := len(all); n > 0 && all[n-1].token == token.SEMICOLON && all[n-1].from >= len(source) {
		all = all[:n-1]
	}
	return all, faults.Err()
}
