package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// mapRanges reports range statements over maps whose order has an effect.
func (c *checker) mapRanges(body ast.Node) {
	ast.Inspect(body, func(n ast.Node) bool {
		if r, ok := n.(*ast.RangeStmt); ok && c.overMap(r.X) {
			if what := c.orderShows(body, r); what != "" {
				c.report(r.Pos(), MapOrder, "the order of a map differs from run to run, and %s; range over %s", what, c.inOrder(r.X))
			}
		}
		return true
	})
}

// overMap reports whether ranging over e follows the order of a map.
func (c *checker) overMap(e ast.Expr) bool {
	if _, ok := c.pass.TypesInfo.TypeOf(e).Underlying().(*types.Map); ok {
		return true
	}
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	f := c.callee(call)
	return f != nil && f.Pkg() != nil && f.Pkg().Path() == "maps" && slices.Contains([]string{"Keys", "Values", "All"}, f.Name())
}

// inOrder returns the text of a range statement over the keys of map e in sorted order, as
// a suggestion.
func (c *checker) inOrder(e ast.Expr) string {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && len(call.Args) == 1 && c.overMap(e) {
		e = call.Args[0]
	}
	m, ok := c.pass.TypesInfo.TypeOf(e).Underlying().(*types.Map)
	if !ok {
		return "its keys, sorted"
	}
	keys := "maps.Keys(" + types.ExprString(e) + ")"
	if basic, ok := m.Key().Underlying().(*types.Basic); ok && basic.Info()&types.IsOrdered != 0 {
		return "slices.Sorted(" + keys + ")"
	}
	compare := "compare"
	if ofSim(m.Key()) == "Addr" {
		compare = "sim.Addr.Compare"
	}
	return "slices.SortedFunc(" + keys + ", " + compare + ")"
}

// orderShows describes an effect of the body of range statement r that depends on the order
// of the map, or returns "".
func (c *checker) orderShows(body ast.Node, r *ast.RangeStmt) (what string) {
	say := func(text string) {
		if what == "" {
			what = text
		}
	}
	element := c.variables(r)
	assigned := false
	ast.Inspect(r.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			f, _ := c.pass.TypesInfo.Uses[n].(*types.Func)
			switch {
			case f == nil:
			case isEffect(f):
				say(f.Name() + " is called in it")
			case c.service.effects[f.Origin()]:
				say(f.Name() + ", which has effects, is called in it")
			}
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			if c.mentions(n, element) {
				say("an element of it is returned")
			}
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE && c.mentions(n, element) && c.outer(n.Lhs[0], r) {
				assigned = true
			}
			if to := c.grows(n, r); to != "" && !c.sortedAfter(body, r, to) {
				say("it is appended to " + to + " in it, which is not sorted after it")
			}
		case *ast.BranchStmt:
			if n.Tok == token.BREAK && assigned {
				say("the first element that suits is kept")
			}
		}
		return true
	})
	return what
}

// variables returns the variables of a range statement, and those that its body computes
// from them.
func (c *checker) variables(r *ast.RangeStmt) map[types.Object]bool {
	of := map[types.Object]bool{}
	for _, e := range []ast.Expr{r.Key, r.Value} {
		if e != nil && c.object(e) != nil {
			of[c.object(e)] = true
		}
	}
	ast.Inspect(r.Body, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && a.Tok == token.DEFINE && c.mentions(a, of) {
			for _, l := range a.Lhs {
				if o := c.object(l); o != nil {
					of[o] = true
				}
			}
		}
		return true
	})
	return of
}

func (c *checker) mentions(n ast.Node, of map[types.Object]bool) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			found = found || of[c.pass.TypesInfo.ObjectOf(id)]
		}
		return !found
	})
	return found
}

// outer reports whether an expression denotes a variable that is declared outside of range
// statement r.
func (c *checker) outer(e ast.Expr, r *ast.RangeStmt) bool {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.Ident:
			o := c.pass.TypesInfo.ObjectOf(x)
			return x.Name != "_" && o != nil && (o.Pos() < r.Pos() || r.End() <= o.Pos())
		default: // an element of a map or slice: each key may have one of its own
			return false
		}
	}
}

// grows returns the slice or the string, declared outside of range statement r, to which an
// assignment appends. It returns "" if it appends to none.
func (c *checker) grows(a *ast.AssignStmt, r *ast.RangeStmt) string {
	if len(a.Lhs) != 1 || !c.outer(a.Lhs[0], r) {
		return ""
	}
	text := types.ExprString(a.Lhs[0])
	if basic, ok := c.pass.TypesInfo.TypeOf(a.Lhs[0]).Underlying().(*types.Basic); ok && a.Tok == token.ADD_ASSIGN && basic.Info()&types.IsString != 0 {
		return text
	}
	if call, ok := ast.Unparen(a.Rhs[0]).(*ast.CallExpr); ok && c.builtin(call) == "append" && types.ExprString(call.Args[0]) == text {
		return text
	}
	return ""
}

// sortedAfter reports whether the variable that text names, as in "n.peers", is sorted after
// range statement r.
func (c *checker) sortedAfter(body ast.Node, r *ast.RangeStmt, text string) (sorted bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || call.Pos() < r.End() || len(call.Args) == 0 {
			return !sorted
		}
		f := c.callee(call)
		if f != nil && (strings.Contains(strings.ToLower(f.Name()), "sort") || f.Pkg() != nil && f.Pkg().Path() == "sort") {
			for _, arg := range call.Args {
				ast.Inspect(arg, func(n ast.Node) bool {
					e, ok := n.(ast.Expr)
					sorted = sorted || ok && types.ExprString(e) == text
					return true
				})
			}
		}
		return !sorted
	})
	return sorted
}
