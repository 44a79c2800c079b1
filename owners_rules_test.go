package macemc_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// A write is one assignment to a field.
type write struct {
	pkg    string // the package that writes
	at     token.Pos
	writer string // the receiver of the method that writes, or the name of the function
	owner  *types.TypeName
	field  string // "*" when the whole value is assigned
	own    bool   // a method of the owner writes, or a function that returns the owner
}

func (w write) String() string {
	return fmt.Sprintf("%s writes %s.%s", w.writer, w.owner.Name(), w.field)
}

// An ownership knows which type declares each field, and which methods do
// nothing but assign their arguments.
type ownership struct {
	owners  map[*types.Var]*types.TypeName
	setters map[*types.Func]*ast.FuncDecl
	of      map[*types.Func]checked // where a setter stands
}

// writes returns every write to a field of a type of the module, in the order of
// the packages and their files. [TestOwners] states which writes count.
func writes(all []checked) []write {
	o := ownership{map[*types.Var]*types.TypeName{}, map[*types.Func]*ast.FuncDecl{}, map[*types.Func]checked{}}
	for _, c := range all {
		o.declare(c)
	}
	var found []write
	for _, c := range all {
		for _, s := range c.sources {
			for _, d := range s.file.Decls {
				found = append(found, o.declaration(c, d)...)
			}
		}
	}
	return found
}

// declare records the owners of the fields that a package declares, and its setters.
func (o *ownership) declare(c checked) {
	for _, s := range c.sources {
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				o.declareFields(c, n)
			case *ast.FuncDecl:
				if f, ok := c.info.Defs[n.Name].(*types.Func); ok && isSetter(c, n) {
					o.setters[f], o.of[f] = n, c
				}
			}
			return true
		})
	}
}

func (o *ownership) declareFields(c checked, spec *ast.TypeSpec) {
	owner, ok := c.info.Defs[spec.Name].(*types.TypeName)
	if !ok {
		return
	}
	ast.Inspect(spec.Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := c.info.Defs[id].(*types.Var); ok && v.IsField() {
				o.owners[v] = owner
			}
		}
		return true
	})
}

// isSetter reports whether a method does nothing but assign its arguments, and
// constants, to fields of its receiver.
func isSetter(c checked, d *ast.FuncDecl) bool {
	if d.Recv == nil || d.Body == nil || len(d.Body.List) == 0 || len(d.Recv.List[0].Names) == 0 {
		return false
	}
	receiver := c.info.Defs[d.Recv.List[0].Names[0]]
	arguments := 0
	for _, statement := range d.Body.List {
		assign, ok := statement.(*ast.AssignStmt)
		if !ok || assign.Tok != token.ASSIGN {
			return false
		}
		for _, value := range assign.Rhs {
			n, ok := argumentsOf(c, d, receiver, value)
			if !ok {
				return false
			}
			arguments += n
		}
	}
	return arguments > 0
}

// argumentsOf returns the number of parameters of d that occur in a value. ok is false if anything
// but parameters and constants occurs in it.
func argumentsOf(c checked, d *ast.FuncDecl, receiver types.Object, value ast.Expr) (n int, ok bool) {
	ok = true
	ast.Inspect(value, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.CallExpr:
			ok = ok && c.info.Types[node.Fun].IsType()
		case *ast.FuncLit:
			ok = false
		case *ast.Ident:
			if v, is := c.info.Uses[node].(*types.Var); is && !v.IsField() {
				parameter := v != receiver && d.Type.Params.Pos() <= v.Pos() && v.Pos() < d.Type.Params.End()
				ok = ok && parameter
				n++
			}
		}
		return ok
	})
	return n, ok
}

// declaration returns the writes of a declaration: of a function, or of the
// functions in the values of a variable.
func (o *ownership) declaration(c checked, d ast.Decl) []write {
	at := site{ownership: o, checked: c, from: d}
	if f, ok := d.(*ast.FuncDecl); ok {
		function, _ := c.info.Defs[f.Name].(*types.Func)
		if o.setters[function] != nil {
			return nil
		}
		at.writer, at.mine = f.Name.Name, ownedBy(function)
		if r := function.Signature().Recv(); r != nil {
			at.writer = named(r.Type()).Name()
		}
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				at.write(n.Lhs...)
			}
		case *ast.IncDecStmt:
			at.write(n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				at.write(n.Key, n.Value)
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok {
				if _, is := c.info.Uses[id].(*types.Builtin); is && (id.Name == "delete" || id.Name == "clear" || id.Name == "copy") {
					at.write(n.Args[0])
				}
			}
		case *ast.SelectorExpr:
			at.call(n)
		}
		return true
	})
	return at.found
}

// ownedBy returns the types whose fields a function may write as its own: its
// receiver's, or, of a function without a receiver, those that it returns.
func ownedBy(f *types.Func) (mine []*types.TypeName) {
	if r := f.Signature().Recv(); r != nil {
		return []*types.TypeName{named(r.Type())}
	}
	for v := range f.Signature().Results().Variables() {
		if n := named(v.Type()); n != nil {
			mine = append(mine, n)
		}
	}
	return mine
}

// named returns the name of a type or of the type that it points to, or nil.
func named(t types.Type) *types.TypeName {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Origin().Obj()
	}
	return nil
}

// A site is the declaration whose writes are being collected.
type site struct {
	*ownership
	checked
	from   ast.Decl
	writer string
	mine   []*types.TypeName
	found  []write
}

func (s *site) add(at token.Pos, owner *types.TypeName, field string) {
	own := s.from.Pos() <= owner.Pos() && owner.Pos() < s.from.End()
	for _, m := range s.mine {
		own = own || m == owner
	}
	s.found = append(s.found, write{s.path, at, s.writer, owner, field, own})
}

// call adds the writes of a setter where it is called or mentioned.
func (s *site) call(n *ast.SelectorExpr) {
	f, ok := s.info.Uses[n.Sel].(*types.Func)
	if !ok {
		return
	}
	setter := s.setters[f.Origin()]
	if setter == nil {
		return
	}
	from := s.of[f.Origin()]
	for _, statement := range setter.Body.List {
		for _, left := range statement.(*ast.AssignStmt).Lhs {
			if owner, field := target(s.ownership, from, left); owner != nil {
				s.add(n.Pos(), owner, field)
			}
		}
	}
}

// write adds the writes of assignments to expressions.
func (s *site) write(left ...ast.Expr) {
	for _, e := range left {
		if owner, field := target(s.ownership, s.checked, e); owner != nil && !onCopy(s.checked, e) {
			s.add(e.Pos(), owner, field)
		}
	}
}

// target returns the type and the field that an assignment to e writes: the
// last field that e names which is of a type of the module.
func target(o *ownership, c checked, e ast.Expr) (owner *types.TypeName, field string) {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			n := named(c.info.TypeOf(x))
			if n != nil && o.hasFields(n) {
				return n, "*"
			}
			e = x.X
		case *ast.SelectorExpr:
			sel := c.info.Selections[x]
			if sel == nil || sel.Kind() != types.FieldVal {
				return nil, ""
			}
			v := sel.Obj().(*types.Var).Origin()
			if owner := o.owners[v]; owner != nil {
				return owner, v.Name()
			}
			e = x.X
		default:
			return nil, ""
		}
	}
}

// onCopy reports whether an assignment changes a local variable alone: e leads
// from one by value, over no pointer, map or slice.
func onCopy(c checked, e ast.Expr) bool {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			if _, ok := c.info.TypeOf(x.X).Underlying().(*types.Array); !ok {
				return false
			}
			e = x.X
		case *ast.SelectorExpr:
			if sel := c.info.Selections[x]; sel == nil || sel.Indirect() {
				return false
			}
			e = x.X
		case *ast.Ident:
			v, ok := c.info.ObjectOf(x).(*types.Var)
			return ok && v.Parent() != c.pkg.Scope()
		default:
			return false
		}
	}
}

// hasFields reports whether the fields of a type are of the module.
func (o *ownership) hasFields(n *types.TypeName) bool {
	s, ok := n.Type().Underlying().(*types.Struct)
	return ok && s.NumFields() > 0 && o.owners[s.Field(0).Origin()] != nil
}
