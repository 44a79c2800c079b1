package vet

import (
	"go/ast"
	"go/token"
	"go/types"
)

// globals reports package variables that are written.
func (c *checker) globals(body ast.Node) {
	const instead = "the nodes and the runs of a process share it; make it a field of the node"
	write := func(e ast.Expr) {
		id := root(e)
		if id == nil {
			return
		}
		if q, ok := ast.Unparen(e).(*ast.SelectorExpr); ok { // other.Variable
			if _, is := c.pass.TypesInfo.Uses[id].(*types.PkgName); is {
				id = q.Sel
			}
		}
		if v, ok := c.pass.TypesInfo.ObjectOf(id).(*types.Var); ok && !v.IsField() && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
			c.report(e.Pos(), Global, "%s is a variable of the package: %s", v.Name(), instead)
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, l := range n.Lhs {
					write(l)
				}
			}
		case *ast.IncDecStmt:
			write(n.X)
		case *ast.CallExpr:
			switch c.builtin(n) {
			case "delete", "clear", "copy":
				write(n.Args[0])
			case "":
				c.atomically(n, write)
			}
		}
		return true
	})
}

// atomically passes to write each operand that a call of a function of sync/atomic, or of a method of
// sync.Map, changes.
func (c *checker) atomically(call *ast.CallExpr, write func(ast.Expr)) {
	f := c.callee(call)
	if f == nil || f.Pkg() == nil || f.Name() == "Load" {
		return
	}
	switch f.Pkg().Path() {
	case "sync/atomic":
	case "sync":
		if f.Signature().Recv() == nil || types.TypeString(f.Signature().Recv().Type(), nil) != "*sync.Map" {
			return
		}
	default:
		return
	}
	if s, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && f.Signature().Recv() != nil {
		write(s.X)
	} else if len(call.Args) > 0 {
		if u, ok := ast.Unparen(call.Args[0]).(*ast.UnaryExpr); ok && u.Op == token.AND {
			write(u.X)
		}
	}
}

// dropped reports sends by TCP whose results are ignored. The report differs for a loop
// that sends to one node again and again, and so fills the buffer.
func (c *checker) dropped(body ast.Node) {
	ast.Inspect(body, func(n ast.Node) bool {
		s, ok := n.(*ast.ExprStmt)
		if !ok {
			return true
		}
		call, ok := s.X.(*ast.CallExpr)
		if !ok || !c.byTCP(call) {
			return true
		}
		to := types.ExprString(call.Args[0])
		switch loop := loopAround(body, call); {
		case loop != nil && !c.changesIn(loop, call.Args[0]):
			c.report(call.Pos(), Result, "each turn of the loop sends to %s, and Send reports false when the buffer is full, of 20 messages by default: look at its result, and go on at sim.ClearToSend", to)
		case results == "all":
			c.report(call.Pos(), Result, "Send reports false when it does not send, since the buffer is full: look at its result, or assign it to _")
		}
		return true
	})
}

// byTCP reports whether a call is a Send on a TCP link.
func (c *checker) byTCP(call *ast.CallExpr) bool {
	f := c.callee(call)
	if !isEffect(f) || f.Name() != "Send" || len(call.Args) != 2 {
		return false
	}
	s, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	port, ok := ast.Unparen(s.X).(*ast.CallExpr)
	if !ok {
		return false
	}
	of := c.callee(port)
	return of != nil && of.Name() == "TCP"
}

// changesIn reports whether an expression may have another value in each iteration of a loop: it
// calls something, or names a variable that the loop declares or assigns.
func (c *checker) changesIn(loop ast.Node, e ast.Expr) (changes bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			changes = true
		case *ast.Ident:
			o := c.pass.TypesInfo.ObjectOf(n)
			changes = changes || o != nil && loop.Pos() <= o.Pos() && o.Pos() < loop.End() || c.assigns(loop, o)
		}
		return !changes
	})
	return changes
}

func (c *checker) assigns(loop ast.Node, o types.Object) (assigns bool) {
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				if id := root(l); id != nil {
					assigns = assigns || c.pass.TypesInfo.ObjectOf(id) == o
				}
			}
		case *ast.IncDecStmt:
			if id := root(n.X); id != nil {
				assigns = assigns || c.pass.TypesInfo.ObjectOf(id) == o
			}
		}
		return !assigns
	})
	return assigns
}

// switches reports switches over messages and signals that ignore unknown types.
func (c *checker) switches(body ast.Node) {
	ast.Inspect(body, func(n ast.Node) bool {
		s, ok := n.(*ast.TypeSwitchStmt)
		if !ok {
			return true
		}
		over := switched(s)
		if name := ofSim(c.pass.TypesInfo.TypeOf(over)); name != "Message" && name != "Signal" && !c.isHandled(body, over) {
			return true
		}
		for _, clause := range s.Body.List {
			if cc := clause.(*ast.CaseClause); cc.List == nil {
				if !c.ends(cc, over) {
					c.report(cc.Pos(), Switch, "this passes over what no case knows: end it with panic(...), or hand it on")
				}
				return true
			}
		}
		c.report(s.Pos(), Switch, "what no case knows is passed over: add default: panic(...), or hand it on")
		return true
	})
}

// isHandled reports whether an expression is the last parameter of a handler, which is the message or
// signal.
func (c *checker) isHandled(body ast.Node, e ast.Expr) bool {
	fn, ok := body.(*ast.FuncDecl)
	if !ok || fn.Recv == nil || fn.Name.Name != "Deliver" && fn.Name.Name != "Handle" {
		return false
	}
	p := c.pass.TypesInfo.Defs[fn.Name].(*types.Func).Signature().Params()
	return p.Len() > 1 && ofSim(p.At(0).Type()) == "Env" && c.object(e) == p.At(p.Len()-1)
}

// switched returns the operand of a type switch.
func switched(s *ast.TypeSwitchStmt) ast.Expr {
	var e ast.Expr
	switch a := s.Assign.(type) {
	case *ast.AssignStmt:
		e = a.Rhs[0]
	case *ast.ExprStmt:
		e = a.X
	}
	return ast.Unparen(e).(*ast.TypeAssertExpr).X
}

// ends reports whether a default case of a switch over a message or signal panics, or
// passes the message or signal on.
func (c *checker) ends(clause *ast.CaseClause, over ast.Expr) (ends bool) {
	of := map[types.Object]bool{c.object(over): true}
	if o := c.pass.TypesInfo.Implicits[clause]; o != nil {
		of[o] = true
	}
	delete(of, nil)
	for _, s := range clause.Body {
		ast.Inspect(s, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				switch c.builtin(call) {
				case "panic":
					ends = true
				case "":
					for _, arg := range call.Args {
						f := c.callee(call)
						hands := f != nil && f.Name() != "Logf"
						ends = ends || hands && c.mentions(arg, of)
					}
				}
			}
			return !ends
		})
	}
	return ends
}
