package operator

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// loggers are the names of values and functions that only log or count. No pod notices their calls.
var loggers = []string{
	"klog", "logger", "loggerV4", "metrics", "utilruntime", "tracer", "span", "otelSpan", "ProberResults",
	"ProberDuration", "podInitContainerTimeRecorder", "updateRunningPodAndContainerMetrics",
}

// counts are the methods of metrics that no other type has here.
var counts = []string{"Inc", "Observe"}

// observed reports whether an expression only logs, counts metrics or traces.
func observed(e ast.Expr) bool {
	if call, ok := e.(*ast.CallExpr); ok {
		if method, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains(counts, method.Sel.Name) {
			return true
		}
	}
	for {
		switch x := e.(type) {
		case *ast.CallExpr:
			e = x.Fun
		case *ast.SelectorExpr:
			if slices.Contains(loggers, x.Sel.Name) {
				return true
			}
			e = x.X
		case *ast.Ident:
			return slices.Contains(loggers, x.Name)
		default:
			return false
		}
	}
}

// quiet reports whether a statement only logs or counts, and decides only that. In a loop it may continue.
func quiet(s ast.Stmt, inLoop bool) bool {
	switch s := s.(type) {
	case nil:
		return true
	case *ast.ExprStmt:
		return observed(s.X)
	case *ast.AssignStmt:
		index, ok := s.Rhs[0].(*ast.IndexExpr)
		if found := ok && len(s.Lhs) == 2 && len(s.Rhs) == 1; found {
			return s.Tok == token.DEFINE && pure(index.X) && pure(index.Index)
		}
		return s.Tok == token.DEFINE && !slices.ContainsFunc(s.Rhs, func(e ast.Expr) bool { return !pure(e) })
	case *ast.BlockStmt:
		return !slices.ContainsFunc(s.List, func(s ast.Stmt) bool { return !quiet(s, inLoop) })
	case *ast.IfStmt:
		return quiet(s.Init, false) && pure(s.Cond) && quiet(s.Body, inLoop) && quiet(s.Else, inLoop)
	case *ast.RangeStmt:
		return s.Tok != token.ASSIGN && pure(s.X) && quiet(s.Body, true)
	case *ast.BranchStmt:
		return inLoop && s.Tok == token.CONTINUE && s.Label == nil
	}
	return false
}

// asking are the beginnings of functions that only return something.
var asking = []string{
	"Is", "Has", "Enabled", "Before", "After", "Cmp", "Equal", "len", "string", "float64", "Since", "Truncate", "Port",
	"Hostname", "String", "KObj",
}

// pure reports whether an expression changes nothing, and no other value of a constant makes it panic.
func pure(e ast.Expr) bool {
	is := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.IndexExpr, *ast.SliceExpr, *ast.TypeAssertExpr:
			is = false
		case *ast.UnaryExpr:
			is = is && n.Op != token.ARROW
		case *ast.CallExpr:
			name := types.ExprString(n.Fun)
			name = name[strings.LastIndex(name, ".")+1:]
			is = is && (observed(n) ||
				slices.ContainsFunc(asking, func(word string) bool { return strings.HasPrefix(name, word) }))
		}
		return is
	})
	return is
}

// guards returns the parts of a statement's conditions that keep its other parts from a panic.
func guards(s ast.Stmt) (kept []ast.Node) {
	used := map[string]bool{}
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			used[types.ExprString(n.X)] = true
		case *ast.IndexExpr:
			used[types.ExprString(n.X)] = true
		case *ast.StarExpr:
			used[types.ExprString(n.X)] = true
		case *ast.CallExpr:
			used[types.ExprString(n.Fun)] = true
		}
		return true
	})
	ast.Inspect(s, func(n ast.Node) bool {
		if n, ok := n.(*ast.IfStmt); ok {
			if own := guardsOf(n, used); own != nil && leavesLoop(n.Body) {
				kept = append(kept, n)
			} else {
				kept = append(kept, own...)
			}
		}
		return true
	})
	return kept
}

func guardsOf(s *ast.IfStmt, used map[string]bool) (kept []ast.Node) {
	var defined []string // beside what the condition asks
	if a, ok := s.Init.(*ast.AssignStmt); ok {
		for _, e := range a.Lhs {
			defined = append(defined, types.ExprString(e))
		}
	}
	ast.Inspect(s.Cond, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			for _, sides := range [][2]ast.Expr{{n.X, n.Y}, {n.Y, n.X}} {
				of, call := sides[0], false
				if c, ok := of.(*ast.CallExpr); ok && len(c.Args) == 1 && types.ExprString(c.Fun) == "len" {
					of, call = c.Args[0], true
				}
				if (call || types.ExprString(sides[1]) == "nil") && used[types.ExprString(of)] && !observed(of) {
					kept = append(kept, n)
				}
			}
		case *ast.Ident:
			if !slices.Contains([]string{"ok", "found", "exists"}, n.Name) {
				break
			}
			if !slices.Contains(defined, n.Name) ||
				slices.ContainsFunc(defined, func(name string) bool { return used[name] }) {
				kept = append(kept, n)
			}
		case *ast.SelectorExpr:
			return false
		}
		return true
	})
	return kept
}

func leavesLoop(b *ast.BlockStmt) bool {
	return slices.ContainsFunc(b.List, func(s ast.Stmt) bool { _, ok := s.(*ast.BranchStmt); return ok })
}

// repeated returns the break of a loop that only looks for an element and then assigns constants. Without it, the loop
// can only assign them again.
func repeated(s *ast.RangeStmt) ast.Stmt {
	if len(s.Body.List) != 1 {
		return nil
	}
	found, ok := s.Body.List[0].(*ast.IfStmt)
	if !ok || found.Init != nil || found.Else != nil || !pure(found.Cond) || len(found.Body.List) < 2 {
		return nil
	}
	last := len(found.Body.List) - 1
	for _, s := range found.Body.List[:last] {
		a, ok := s.(*ast.AssignStmt)
		if !ok || a.Tok != token.ASSIGN {
			return nil
		}
		for i, e := range a.Rhs {
			if _, ok := a.Lhs[i].(*ast.Ident); !ok || !constant(e) {
				return nil
			}
		}
	}
	if b, ok := found.Body.List[last].(*ast.BranchStmt); ok && b.Tok == token.BREAK && b.Label == nil {
		return b
	}
	return nil
}

func variable(e ast.Expr) bool { return !constant(e) }

func constant(e ast.Expr) bool {
	if _, ok := e.(*ast.BasicLit); ok {
		return true
	}
	return slices.Contains([]string{"true", "false", "nil"}, types.ExprString(e))
}

// clamps reports whether a statement only assigns one side of its comparison to the other.
func clamps(s *ast.IfStmt) bool {
	cond, ok := s.Cond.(*ast.BinaryExpr)
	if !ok || s.Else != nil || len(s.Body.List) != 1 || !pure(cond) {
		return false
	}
	a, ok := s.Body.List[0].(*ast.AssignStmt)
	if !ok || a.Tok != token.ASSIGN || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
		return false
	}
	x, y := types.ExprString(cond.X), types.ExprString(cond.Y)
	l, r := types.ExprString(a.Lhs[0]), types.ExprString(a.Rhs[0])
	return x == l && y == r || x == r && y == l
}

// readsOnly reports whether a statement works without a term of its condition that compares a value with nil: it only
// ranges over the value or looks something up.
func readsOnly(s *ast.IfStmt, term ast.Expr) bool {
	b, ok := term.(*ast.BinaryExpr)
	if !ok || b.Op != token.NEQ || types.ExprString(b.Y) != "nil" || s.Else != nil {
		return false
	}
	value := types.ExprString(b.X)
	return !slices.ContainsFunc(s.Body.List, func(s ast.Stmt) bool {
		switch s := s.(type) {
		case *ast.RangeStmt:
			return types.ExprString(s.X) != value
		case *ast.IfStmt:
			found, ok := s.Init.(*ast.AssignStmt)
			if !ok || len(found.Lhs) != 2 || s.Else != nil {
				return true
			}
			index, ok := found.Rhs[0].(*ast.IndexExpr)
			return !ok || types.ExprString(index.X) != value ||
				types.ExprString(s.Cond) != types.ExprString(found.Lhs[1])
		}
		return true
	})
}

// logged returns which parameters a function only logs.
func logged(f *ast.FuncDecl) (only []bool) {
	used := map[string]bool{}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && observed(call) {
			return false
		}
		if name, ok := n.(*ast.Ident); ok {
			used[name.Name] = true
		}
		return true
	})
	for _, field := range f.Type.Params.List {
		for _, name := range field.Names {
			only = append(only, !used[name.Name])
		}
	}
	return only
}

// lockedOn are feature gates that are on in v1.37, and can't be turned off.
var lockedOn = []string{
	"DRAExtendedResource", "DisableCPUQuotaWithExclusiveCPUs", "DynamicResourceAllocation", "ImageVolume",
	"InPlacePodVerticalScaling", "InPlacePodVerticalScalingInitContainers", "NodeDeclaredFeatures", "NodeSwap",
	"PLEGOnDemandRelist", "PodReadyToStartContainersCondition", "RecursiveReadOnlyMounts", "SupplementalGroupsPolicy",
	"UserNamespacesSupport",
}

// locked reports whether an expression asks for a feature gate that is always on.
func locked(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || !gate(call) {
		return false
	}
	name, ok := call.Args[0].(*ast.SelectorExpr)
	return ok && slices.Contains(lockedOn, name.Sel.Name)
}

// gate reports whether a condition is a feature gate alone.
func gate(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	return ok && method.Sel.Name == "Enabled"
}
