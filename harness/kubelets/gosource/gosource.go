// Package gosource replaces code in one declaration of a Go file. It compares tokens, so spaces and comments do not
// matter.
package gosource

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
)

// Replace returns a file's source with other code in a declaration, or an error if the old code does not occur there
// exactly once, or if the result is no Go. within is the declaration as go doc writes it.
func Replace(source []byte, within, old, other string) ([]byte, error) {
	from, to, err := declaration(within, source)
	if err != nil {
		return nil, err
	}
	now, err := tokens([]byte(old))
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", old, err)
	}
	then, err := tokens([]byte(other))
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", other, err)
	}
	if len(now) == 0 || slices.EqualFunc(now, then, lexeme.same) {
		return nil, fmt.Errorf("replacing %q by %q changes nothing", old, other)
	}
	all, err := tokens(source)
	if err != nil {
		return nil, fmt.Errorf("reading the file: %w", err)
	}
	var matches []int
	for i := 0; i+len(now) <= len(all); i++ {
		window := all[i : i+len(now)]
		if window[0].from >= from && window[len(now)-1].to <= to && slices.EqualFunc(window, now, lexeme.same) {
			matches = append(matches, i)
		}
	}
	if len(matches) != 1 {
		return nil, fmt.Errorf("%q occurs %d times instead of once; %s", old, len(matches), adapt)
	}
	first, last := all[matches[0]], all[matches[0]+len(now)-1]
	replaced := slices.Concat(source[:first.from], []byte(other), source[last.to:])
	if _, err := parser.ParseFile(token.NewFileSet(), "", replaced, parser.SkipObjectResolution); err != nil {
		return nil, fmt.Errorf("%q in place of %q is no Go: %w", other, old, err)
	}
	return replaced, nil
}

// adapt is the remedy for code that does not match its source.
const adapt = "adapt the mutation to this version, or narrow its range of versions"

// declaration returns the offsets of a declaration.
func declaration(within string, source []byte) (from, to int, err error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		return 0, 0, fmt.Errorf("parsing the file: %w", err)
	}
	for _, d := range parsed.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if FunctionName(d) == within {
				return files.Position(d.Pos()).Offset, files.Position(d.End()).Offset, nil
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				value, ok := spec.(*ast.ValueSpec)
				if ok && slices.ContainsFunc(value.Names, func(n *ast.Ident) bool { return n.Name == within }) {
					return files.Position(spec.Pos()).Offset, files.Position(spec.End()).Offset, nil
				}
			}
		}
	}
	return 0, 0, errors.New("the file has no such function, method, constant or variable; " + adapt)
}

// FunctionName returns the name of a function as go doc writes it: that of a method begins with its type's.
func FunctionName(f *ast.FuncDecl) string {
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
