// Package operator makes mutants of a Go file by rules that know nothing of what the code means. Each changes one place
// of one function. Some do not compile: the compiler says which.
package operator

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"

	"github.com/podclock/podclock/harness/kubelets/gosource"
)

// Mutant is one change of a function.
type Mutant struct {
	Operator Operator
	// Within is the function, as go doc writes it.
	Within string
	// Line and Column are where the change first shows, from 1. A column counts bytes. A condition that becomes false
	// changes its branch, and one that becomes true changes what it leads past. So only a trial that executes that code
	// meets the mutant.
	Line, Column int
	// From and To are the offsets of the changed code, Other replaces it.
	From, To int
	Now      string
	Other    string
	// Because is why no pod notices it, if the syntax shows that.
	Because string
}

// Operator is a rule that makes mutants.
type Operator string

// The operators. go-mutesting drops statements, branches and terms of a condition, and gremlins exchanges operators.
// Neither changes errors, arguments, fields or returns, and both run go test once for each mutant.
const (
	Negated     Operator = "condition negated"
	AlwaysTrue  Operator = "condition true"
	AlwaysFalse Operator = "condition false"
	Moved       Operator = "comparison moved"
	NoCall      Operator = "call dropped"
	NoAssign    Operator = "assignment dropped"
	Increased   Operator = "constant increased"
	Doubled     Operator = "constant doubled"
	NoError     Operator = "error dropped"
	AnError     Operator = "error invented"
	NoJump      Operator = "jump dropped"
	Swapped     Operator = "arguments swapped"
	NoField     Operator = "field dropped"
	NoCase      Operator = "case dropped"
)

// ErrorName is an error that mutants return. The file that contains them must declare it.
const ErrorName = "errMutant"

// Mutants returns all mutants of a file in the order of its code. Code that only logs or counts metrics has none: no
// trial can see it.
func Mutants(source []byte) ([]Mutant, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parsing the file: %w", err)
	}
	m := maker{
		source: source, files: files,
		parts: map[ast.Stmt]bool{}, next: map[ast.Stmt]ast.Stmt{}, then: map[ast.Stmt]ast.Stmt{},
		split: map[ast.Expr]bool{}, logged: map[string][]bool{},
	}
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil && f.Recv == nil {
			m.logged[f.Name.Name] = logged(f)
		}
	}
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			m.function(f)
		}
	}
	slices.SortStableFunc(m.made, func(a, b Mutant) int { return cmp.Compare(a.From, b.From) })
	return m.made, nil
}

type maker struct {
	source []byte
	files  *token.FileSet
	within string
	// last is the statement that ends the function, which must stay.
	last ast.Stmt
	// parts are statements of other statements' heads, such as i++ of a loop. They can't be in an if statement.
	parts map[ast.Stmt]bool
	// next are the statements that follow others in their block.
	next map[ast.Stmt]ast.Stmt
	// then are the statements that follow the last ones of an if statement.
	then map[ast.Stmt]ast.Stmt
	// split are conditions whose parts have their mutants.
	split map[ast.Expr]bool
	// logged are the parameters that the file's functions only log.
	logged map[string][]bool
	idle   []idle
	made   []Mutant
}

// idle is code whose mutants no pod notices, except for those that change one of the guards.
type idle struct {
	from, to  token.Pos
	operators []Operator // nil stands for all
	guards    []ast.Node
	because   string
}

func (m *maker) idles(n ast.Node, because string, operators ...Operator) {
	m.idle = append(m.idle, idle{n.Pos(), n.End(), operators, nil, because})
}

// because returns why no pod notices a mutant, or "".
func (m *maker) because(o Operator, from, to token.Pos) string {
	for _, i := range m.idle {
		if from >= i.from && to <= i.to && (i.operators == nil || slices.Contains(i.operators, o)) &&
			!slices.ContainsFunc(i.guards, func(n ast.Node) bool { return from < n.End() && n.Pos() < to }) {
			return i.because
		}
	}
	return ""
}

// observes marks a statement that only logs or counts. What an if statement does before its condition stays.
func (m *maker) observes(s ast.Stmt) {
	from, rest := s.Pos(), s
	if n, ok := s.(*ast.IfStmt); ok {
		from, rest = n.Cond.Pos(), &ast.IfStmt{Cond: n.Cond, Body: n.Body, Else: n.Else}
	}
	if quiet(rest, false) {
		m.idle = append(m.idle, idle{from, s.End(), nil, guards(s), "it only decides what is logged or counted"})
	}
}

func (m *maker) function(f *ast.FuncDecl) {
	m.within, m.last = gosource.FunctionName(f), nil
	if n := len(f.Body.List); n > 0 {
		m.last = f.Body.List[n-1]
	}
	m.gates(f.Body)
	m.body(f.Body, f.Type.Results)
}

// gates marks the feature gates that are always on.
func (m *maker) gates(b *ast.BlockStmt) {
	const because = "the feature gate is locked on"
	ast.Inspect(b, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if locked(n) {
				m.idles(n, because, AlwaysTrue)
			}
		case *ast.UnaryExpr:
			if n.Op == token.NOT && locked(n.X) {
				m.idles(n, because, AlwaysFalse)
			}
		}
		return true
	})
}

// body makes mutants of the statements of a function or of a function literal with these results.
func (m *maker) body(b *ast.BlockStmt, results *ast.FieldList) {
	ast.Inspect(b, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			m.body(n.Body, n.Type.Results)
			return false
		case *ast.ReturnStmt:
			m.returns(n, results)
		}
		return m.node(n)
	})
}

// node makes the mutants of one node, and reports whether those of its parts are wanted.
func (m *maker) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BlockStmt:
		for i := 1; i < len(n.List); i++ {
			m.next[n.List[i-1]] = n.List[i]
		}
	case *ast.SwitchStmt:
		m.parts[n.Init] = true
	case *ast.TypeSwitchStmt:
		m.parts[n.Init], m.parts[n.Assign] = true, true
	case *ast.ExprStmt:
		if observed(n.X) {
			return false
		}
		if call, ok := n.X.(*ast.CallExpr); ok && !panics(call) {
			m.dropped(NoCall, n)
		}
	case *ast.DeferStmt:
		return !observed(n.Call)
	case *ast.AssignStmt:
		if len(n.Rhs) == 1 && observed(n.Rhs[0]) {
			return false // the logger of a function
		}
		if n.Tok != token.DEFINE {
			m.dropped(NoAssign, n)
		}
	case *ast.IncDecStmt:
		m.dropped(NoAssign, n)
	case *ast.BranchStmt:
		if n.Tok == token.BREAK || n.Tok == token.CONTINUE {
			m.dropped(NoJump, n)
		}
	case *ast.RangeStmt:
		m.observes(n)
		if jump := repeated(n); jump != nil {
			m.idles(jump, "the loop can only assign the same again")
		}
	case *ast.IfStmt:
		m.parts[n.Init] = true
		m.observes(n)
		m.follow(n)
		m.condition(n)
	case *ast.ForStmt:
		m.parts[n.Init], m.parts[n.Post] = true, true
		if n.Cond != nil {
			m.replace(AlwaysFalse, n.Cond, "false && ("+m.text(n.Cond)+")")
		}
	case *ast.BinaryExpr:
		if moved, ok := moves[n.Op]; ok {
			m.add(Moved, n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), moved.String())
		}
		m.terms(n, nil, nil)
	case *ast.BasicLit:
		if n.Kind == token.INT && !mode(n.Value) {
			m.replace(Increased, n, "("+n.Value+" + 1)")
			if n.Value != "0" {
				m.replace(Doubled, n, "("+n.Value+" * 2)")
			}
		}
	case *ast.CallExpr:
		if observed(n) {
			return false
		}
		m.reserves(n)
		m.swaps(n)
	case *ast.CompositeLit:
		m.fields(n)
	case *ast.CaseClause:
		m.withoutCase(n, n.Body)
	case *ast.CommClause:
		m.parts[n.Comm] = true
		m.withoutCase(n, n.Body)
	}
	return true
}

// withoutCase makes a mutant without a case. The case is executed where its body is.
func (m *maker) withoutCase(n ast.Node, body []ast.Stmt) {
	m.add(NoCase, n.Pos(), n.End(), "")
	if len(body) > 0 {
		m.shows(body[0])
	}
}

// shows says where the newest mutant first shows. Nil stands for the changed code.
func (m *maker) shows(s ast.Stmt) {
	if s != nil {
		at, made := m.files.Position(s.Pos()), &m.made[len(m.made)-1]
		made.Line, made.Column = at.Line, at.Column
	}
}

// condition makes mutants of a condition and of its parts. Of a feature gate that only adds code, it makes none that is
// true: the trials that execute the code have the gate on.
func (m *maker) condition(n *ast.IfStmt) {
	var branch, past ast.Stmt
	if len(n.Body.List) > 0 {
		branch = n.Body.List[0]
	}
	if n.Else != nil {
		past = n.Else
		if b, ok := n.Else.(*ast.BlockStmt); ok && len(b.List) > 0 {
			past = b.List[0]
		}
	} else if len(n.Body.List) > 0 && leaves(n.Body.List[len(n.Body.List)-1]) {
		past = m.next[n]
	}
	if b, ok := n.Cond.(*ast.BinaryExpr); ok && clamps(n) {
		m.idle = append(m.idle, idle{b.OpPos, b.Y.Pos(), nil, nil, "both sides are equal then"})
	}
	m.reads(n, n.Cond)
	text := m.text(n.Cond)
	m.replace(Negated, n.Cond, "!("+text+")")
	if past != nil || !gate(n.Cond) {
		m.replace(AlwaysTrue, n.Cond, "true || ("+text+")")
		m.shows(past)
	}
	m.replace(AlwaysFalse, n.Cond, "false && ("+text+")")
	m.shows(branch)
	m.terms(n.Cond, branch, past)
}

// terms makes mutants of the parts of a condition.
func (m *maker) terms(e ast.Expr, branch, past ast.Stmt) {
	if p, ok := e.(*ast.ParenExpr); ok {
		e = p.X
	}
	b, ok := e.(*ast.BinaryExpr)
	if !ok || b.Op != token.LAND && b.Op != token.LOR || m.split[b] {
		return
	}
	m.split[b] = true
	for _, part := range []ast.Expr{b.X, b.Y} {
		if inner, ok := part.(*ast.BinaryExpr); !ok || inner.Op != b.Op {
			text := m.text(part)
			m.replace(Negated, part, "!("+text+")")
			if b.Op == token.LAND {
				m.replace(AlwaysTrue, part, "(true || ("+text+"))")
				m.shows(past)
			} else {
				m.replace(AlwaysFalse, part, "(false && ("+text+"))")
				m.shows(branch)
			}
		}
		m.terms(part, branch, past)
	}
}

// reads marks the terms of a condition without which nothing is read.
func (m *maker) reads(s *ast.IfStmt, e ast.Expr) {
	if b, ok := e.(*ast.BinaryExpr); ok && b.Op == token.LAND {
		m.reads(s, b.X)
		m.reads(s, b.Y)
	}
	if readsOnly(s, e) {
		m.idles(e, "nothing is found in nil", AlwaysTrue)
	}
}

// follow notes what follows the last statements of an if statement.
func (m *maker) follow(n *ast.IfStmt) {
	then := m.next[n]
	if then == nil {
		then = m.then[n]
	}
	for _, s := range []ast.Stmt{n.Body, n.Else} {
		if b, ok := s.(*ast.BlockStmt); ok && len(b.List) > 0 {
			m.then[b.List[len(b.List)-1]] = then
		} else if s != nil {
			m.then[s] = then
		}
	}
}

// reserves marks the capacity that a call of make reserves.
func (m *maker) reserves(c *ast.CallExpr) {
	if name, ok := c.Fun.(*ast.Ident); !ok || name.Name != "make" || len(c.Args) < 2 {
		return
	}
	if _, ok := c.Args[0].(*ast.MapType); ok || len(c.Args) == 3 {
		m.idles(c.Args[len(c.Args)-1], "it only reserves memory", Increased, Doubled)
	}
}

// leaves reports whether a statement ends its block.
func leaves(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		return ok && panics(call)
	}
	return false
}

// mode reports whether a number is written as a file's mode, which decides nothing about a pod.
func mode(number string) bool { return len(number) > 1 && number[0] == '0' && number[1] != 'x' }

// moves are the comparisons that differ only where both sides are equal.
var moves = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
}

// returns makes mutants of a return: without it, and with another error.
func (m *maker) returns(r *ast.ReturnStmt, results *ast.FieldList) {
	if r != m.last {
		if then, ok := m.then[r].(*ast.ReturnStmt); ok && m.text(then) == m.text(r) &&
			!slices.ContainsFunc(r.Results, variable) {
			m.idles(r, "the same return follows", NoJump)
		}
		m.dropped(NoJump, r)
	}
	if results == nil || len(r.Results) == 0 {
		return
	}
	last := results.List[len(results.List)-1]
	if name, ok := last.Type.(*ast.Ident); !ok || name.Name != "error" || len(r.Results) != results.NumFields() {
		return
	}
	e := r.Results[len(r.Results)-1]
	if name, ok := e.(*ast.Ident); ok && name.Name == "nil" {
		m.replace(AnError, e, ErrorName)
		return
	}
	m.replace(NoError, e, "nil")
}

// swaps makes mutants of a call whose neighbouring arguments change places.
func (m *maker) swaps(c *ast.CallExpr) {
	var only []bool
	if name, ok := c.Fun.(*ast.Ident); ok {
		only = m.logged[name.Name]
	}
	for i := 1; i < len(c.Args); i++ {
		a, b := m.text(c.Args[i-1]), m.text(c.Args[i])
		if a != b && !(c.Ellipsis.IsValid() && i == len(c.Args)-1) {
			m.add(Swapped, c.Args[i-1].Pos(), c.Args[i].End(), b+", "+a)
			if i < len(only) && only[i-1] && only[i] {
				m.made[len(m.made)-1].Because = "the function only logs them"
			}
		}
	}
}

// zeros are values of fields that are zero. SyncPodSync is the first of its constants.
var zeros = []string{"nil", "false", "0", `""`, "kubetypes.SyncPodSync"}

// fields makes mutants of a literal of a struct, without one of its fields that is not zero.
func (m *maker) fields(c *ast.CompositeLit) {
	for i, e := range c.Elts {
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return
		}
		if _, ok := pair.Key.(*ast.Ident); !ok {
			return
		}
		if slices.Contains(zeros, m.text(pair.Value)) {
			continue
		}
		to := pair.End()
		if i+1 < len(c.Elts) {
			to = c.Elts[i+1].Pos()
		} else if c.Rbrace > to {
			to = c.Rbrace
		}
		m.add(NoField, pair.Pos(), to, "")
	}
}

// dropped makes a mutant without a statement. What the statement names stays used.
func (m *maker) dropped(o Operator, s ast.Stmt) {
	if !m.parts[s] {
		m.replace(o, s, "if false { "+m.text(s)+" }")
	}
}

func (m *maker) replace(o Operator, n ast.Node, other string) { m.add(o, n.Pos(), n.End(), other) }

func (m *maker) add(o Operator, from, to token.Pos, other string) {
	at := m.files.Position(from)
	end := m.files.Position(to).Offset
	m.made = append(m.made, Mutant{
		Operator: o, Within: m.within, Line: at.Line, Column: at.Column,
		From: at.Offset, To: end, Now: string(m.source[at.Offset:end]), Other: other,
		Because: m.because(o, from, to),
	})
}

func (m *maker) text(n ast.Node) string {
	return string(m.source[m.files.Position(n.Pos()).Offset:m.files.Position(n.End()).Offset])
}

func panics(c *ast.CallExpr) bool {
	name, ok := c.Fun.(*ast.Ident)
	return ok && name.Name == "panic"
}
