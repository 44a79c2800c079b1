package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// messages reports messages that are changed after they were sent, messages that contain memory which
// the node changes later, and messages that a handler changes or keeps.
func (c *checker) messages(body ast.Node) {
	ast.Inspect(body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if arg := c.handedOver(call); arg != nil {
				c.sent(body, call, arg)
			}
		}
		return true
	})
	c.received(body)
}

// handedOver returns the argument of a call that must not be changed afterwards: a message, a task, a timer
// or a fact. It returns nil for other calls.
func (c *checker) handedOver(call *ast.CallExpr) ast.Expr {
	f := c.callee(call)
	if !isEffect(f) {
		return nil
	}
	switch k := map[string]int{"Send": 2, "Post": 1, "After": 2, "Emit": 1}[f.Name()]; {
	case k == 0 || len(call.Args) < k:
		return nil
	default:
		return call.Args[k-1]
	}
}

// shared reports whether two values of a type may have memory in common.
func shared(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Slice, *types.Map, *types.Pointer:
		return true
	}
	return false
}

// sent reports memory in arg, the message of a call, that the node changes later.
func (c *checker) sent(body ast.Node, call *ast.CallExpr, arg ast.Expr) {
	name := c.callee(call).Name()
	for _, e := range c.madeOf(body, call, arg) {
		switch e := e.(type) {
		case *ast.Ident:
			if v, ok := c.pass.TypesInfo.ObjectOf(e).(*types.Var); ok {
				if at := c.changedAfter(body, call, v); at.IsValid() {
					c.report(at, Message, "%s was handed to %s in %s, and is changed here; change a copy", v.Name(), name, c.line(call.Pos()))
				}
			}
		case *ast.SelectorExpr:
			if at, is := c.mutated[c.field(e)]; is {
				c.report(e.Pos(), Message, "%s is handed to %s without a copy, and changed in place in %s; hand over a copy", types.ExprString(e), name, c.line(at))
			}
		}
	}
}

// madeOf returns the variables and fields with which the value of e shares memory.
func (c *checker) madeOf(body ast.Node, call *ast.CallExpr, e ast.Expr) (all []ast.Expr) {
	switch x := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		for _, el := range x.Elts {
			if kv, ok := el.(*ast.KeyValueExpr); ok {
				el = kv.Value
			}
			all = append(all, c.madeOf(body, call, el)...)
		}
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			if _, lit := ast.Unparen(x.X).(*ast.CompositeLit); lit {
				return c.madeOf(body, call, x.X)
			}
			return []ast.Expr{ast.Unparen(x.X)}
		}
	case *ast.SliceExpr:
		return c.madeOf(body, call, x.X)
	case *ast.Ident:
		if v, ok := c.pass.TypesInfo.ObjectOf(x).(*types.Var); ok && !v.IsField() {
			if shared(v.Type()) {
				return []ast.Expr{x}
			}
			if lit := c.madeAs(body, call, v); lit != nil { // m := message{list}; Send(to, m)
				return c.madeOf(body, call, lit)
			}
		}
	case *ast.SelectorExpr:
		if f := c.field(x); f != nil && shared(f.Type()) {
			return []ast.Expr{x}
		}
	}
	return all
}

// madeAs returns the composite literal that was assigned to variable v before a call, or
// nil.
func (c *checker) madeAs(body ast.Node, call *ast.CallExpr, v *types.Var) (lit ast.Expr) {
	ast.Inspect(body, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || a.Pos() > call.Pos() || len(a.Lhs) != len(a.Rhs) {
			return true
		}
		for i, l := range a.Lhs {
			_, is := ast.Unparen(a.Rhs[i]).(*ast.CompositeLit)
			if is && c.object(l) == v && !c.mentions(a.Rhs[i], map[types.Object]bool{v: true}) {
				lit = a.Rhs[i]
			}
		}
		return true
	})
	return lit
}

// field returns the field that an expression selects, or nil.
func (c *checker) field(e ast.Expr) *types.Var { return fieldOf(c.pass, e) }

func fieldOf(pass *analysis.Pass, e ast.Expr) *types.Var {
	if s, ok := ast.Unparen(e).(*ast.SelectorExpr); ok {
		if sel := pass.TypesInfo.Selections[s]; sel != nil && sel.Kind() == types.FieldVal {
			return sel.Obj().(*types.Var).Origin()
		}
	}
	return nil
}

// changedAfter returns the position at which the memory of variable v is changed after a
// call. If the call is in a loop, that may be a position before the call, in a later
// iteration.
func (c *checker) changedAfter(body ast.Node, call *ast.CallExpr, v *types.Var) token.Pos {
	renewed, from, to := token.NoPos, call.End(), body.End()
	if loop := loopAround(body, call); loop != nil && !(loop.Pos() <= v.Pos() && v.Pos() < loop.End()) {
		from = loop.Pos()
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && !renewed.IsValid() && a.Pos() > from {
			for i, l := range a.Lhs {
				if c.object(l) == v && (len(a.Rhs) != len(a.Lhs) || !c.extends(a.Rhs[i], v)) {
					renewed = a.Pos()
				}
			}
		}
		return true
	})
	if renewed.IsValid() && from == call.End() {
		to = renewed
	} else if renewed.IsValid() { // each iteration makes a value of its own
		from = call.End()
	}
	for _, m := range inPlace(c.pass, body) {
		if m.at < from || m.at >= to || m.at > call.Pos() && m.at < call.End() {
			continue
		}
		if c.object(m.of) == v {
			return m.at
		}
	}
	return token.NoPos
}

// extends reports whether the value of e shares the memory of variable v.
func (c *checker) extends(e ast.Expr, v *types.Var) bool {
	switch x := ast.Unparen(e).(type) {
	case *ast.SliceExpr:
		return c.object(x.X) == v
	case *ast.CallExpr:
		return c.builtin(x) == "append" && c.extends(x.Args[0], v)
	}
	return c.object(e) == v
}

// loopAround returns the innermost loop of a body around a node, or nil.
func loopAround(body, of ast.Node) (loop ast.Node) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			if n.Pos() <= of.Pos() && of.End() <= n.End() {
				loop = n
			}
		}
		return true
	})
	return loop
}

// A mutation is a place in the code that changes the memory to which a variable or a field
// refers.
type mutation struct {
	of ast.Expr
	at token.Pos
}

// changing lists functions that change their first argument in place.
var changing = map[string][]string{
	"slices": {"Sort", "SortFunc", "SortStableFunc", "Reverse", "Delete", "DeleteFunc", "Insert", "Compact", "CompactFunc", "Replace"},
	"sort":   {"Sort", "Stable", "Slice", "SliceStable", "Ints", "Strings", "Float64s"},
	"maps":   {"DeleteFunc", "Copy", "Insert"},
}

// inPlace returns the mutations in a body.
func inPlace(pass *analysis.Pass, body ast.Node) (all []mutation) {
	c := &checker{pass: pass}
	add := func(e ast.Expr, at token.Pos) { all = append(all, mutation{ast.Unparen(e), at}) }
	target := func(e ast.Expr, at token.Pos) {
		for {
			switch x := ast.Unparen(e).(type) {
			case *ast.IndexExpr:
				if shared(pass.TypesInfo.TypeOf(x.X)) {
					add(x.X, at)
				}
				e = x.X
			case *ast.StarExpr:
				add(x.X, at)
				return
			case *ast.SelectorExpr:
				if _, ok := pass.TypesInfo.TypeOf(x.X).Underlying().(*types.Pointer); ok {
					add(x.X, at)
				}
				e = x.X
			default:
				return
			}
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, l := range n.Lhs {
					target(l, l.Pos())
				}
			}
		case *ast.IncDecStmt:
			target(n.X, n.Pos())
		case *ast.CallExpr:
			if len(n.Args) == 0 {
				return true
			}
			switch c.builtin(n) {
			case "delete", "clear", "copy":
				add(n.Args[0], n.Pos())
			case "append": // append may write into the memory behind a part of a slice
				if s, ok := ast.Unparen(n.Args[0]).(*ast.SliceExpr); ok && s.High != nil && s.Max == nil {
					add(s.X, n.Pos())
				}
			case "":
				if f := c.callee(n); f != nil && f.Pkg() != nil && slices.Contains(changing[f.Pkg().Path()], f.Name()) {
					add(n.Args[0], n.Pos())
				}
			}
		}
		return true
	})
	return all
}

// mutations returns the fields of the package that are changed in place.
func mutations(pass *analysis.Pass) map[*types.Var]token.Pos {
	all := map[*types.Var]token.Pos{}
	for _, f := range pass.Files {
		for _, m := range inPlace(pass, f) {
			if v := fieldOf(pass, m.of); v != nil && shared(v.Type()) && !all[v].IsValid() {
				all[v] = m.at
			}
		}
	}
	return all
}

// received reports handlers that change or keep the messages that they get.
func (c *checker) received(body ast.Node) {
	got := c.gotten(body)
	if len(got) == 0 {
		return
	}
	for _, m := range inPlace(c.pass, body) {
		if of := root(m.of); of != nil && got[c.pass.TypesInfo.ObjectOf(of)] {
			c.report(m.at, Message, "%s belongs to a message, which others may have too; change a copy", types.ExprString(m.of))
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || len(a.Lhs) != len(a.Rhs) {
			return true
		}
		for i, l := range a.Lhs {
			from := root(a.Rhs[i])
			if from == nil || !got[c.pass.TypesInfo.ObjectOf(from)] || !shared(c.pass.TypesInfo.TypeOf(a.Rhs[i])) {
				continue
			}
			if at, is := c.mutated[c.field(l)]; is {
				c.report(a.Pos(), Message, "%s keeps memory of a message, and is changed in place in %s; keep a copy", types.ExprString(l), c.line(at))
			}
		}
		return true
	})
}

// gotten returns the variables of a handler that hold messages which were delivered to it.
func (c *checker) gotten(body ast.Node) map[types.Object]bool {
	got := map[types.Object]bool{}
	fn, ok := body.(*ast.FuncDecl)
	if !ok {
		return nil
	}
	of := c.pass.TypesInfo.Defs[fn.Name].(*types.Func)
	if p := of.Signature().Params(); c.service.deliver[of] && p.Len() == 3 {
		got[p.At(2)] = true
	}
	ast.Inspect(body, func(n ast.Node) bool {
		s, ok := n.(*ast.TypeSwitchStmt)
		if !ok || len(got) == 0 {
			return true
		}
		for _, clause := range s.Body.List {
			if o := c.pass.TypesInfo.Implicits[clause]; o != nil && c.mentions(s.Assign, got) {
				got[o] = true
			}
		}
		return true
	})
	return got
}

// root returns the leftmost variable of an expression without calls, or nil.
func root(e ast.Expr) *ast.Ident {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			return x
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		default:
			return nil
		}
	}
}
