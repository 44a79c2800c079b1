package vet

import (
	"go/ast"
	"go/types"
	"reflect"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"macemc/sim"
)

// simPath is the import path of package sim.
var simPath = reflect.TypeFor[sim.System]().PkgPath()

func knowsSim(pkg *types.Package) bool {
	for _, p := range pkg.Imports() {
		if p.Path() == simPath {
			return true
		}
	}
	return false
}

// A service is the code of a package that handlers run.
type service struct {
	bodies  []ast.Node           // the bodies of functions and function literals, each once
	effects map[*types.Func]bool // functions that call an effect (see var effects), or call a function that does
	decls   map[*types.Func]*ast.FuncDecl
	deliver map[*types.Func]bool // functions that handle messages: Deliver, and those given to sim.OnMessage
	used    map[place][]string   // the comments that suppressed a report, by their place
}

// ofSim returns the name of a type of package sim, or "" for other types. It recognizes Message and Signal,
// which are aliases of any, by their names.
func ofSim(t types.Type) string {
	if a, ok := t.(*types.Alias); ok && a.Obj().Pkg() != nil && a.Obj().Pkg().Path() == simPath {
		return a.Obj().Name()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != simPath {
		return ""
	}
	return n.Obj().Name()
}

// hasEnv reports whether a value of a type is a sim.Env, or a struct that holds one.
func hasEnv(t types.Type) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if ofSim(t) == "Env" {
		return true
	}
	if s, ok := t.Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			if ofSim(f.Type()) == "Env" {
				return true
			}
		}
	}
	return false
}

// reached returns the code that handlers and the functions of systems can call.
func reached(pass *analysis.Pass) *service {
	s := &service{effects: map[*types.Func]bool{}, decls: map[*types.Func]*ast.FuncDecl{}, deliver: map[*types.Func]bool{}, used: map[place][]string{}}
	var roots []ast.Node
	for _, f := range pass.Files {
		if strings.HasSuffix(pass.Fset.Position(f.Package).Filename, "_test.go") {
			continue
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				of := pass.TypesInfo.Defs[fn.Name].(*types.Func)
				s.decls[of] = fn
				s.deliver[of] = fn.Recv != nil && of.Name() == "Deliver"
				if takesEnv(of) {
					roots = append(roots, fn)
				}
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				if ofSim(pass.TypesInfo.TypeOf(n)) == "System" {
					roots = append(roots, n)
				}
			case *ast.CallExpr:
				s.handler(pass, n)
			}
			return true
		})
	}
	s.follow(pass, roots)
	s.spread(pass)
	return s
}

// handler records the function that is given to sim.OnMessage in a call.
func (s *service) handler(pass *analysis.Pass, call *ast.CallExpr) {
	f, _ := typeutil.Callee(pass.TypesInfo, call).(*types.Func)
	if f == nil || f.Pkg() == nil || f.Pkg().Path() != simPath || f.Name() != "OnMessage" || len(call.Args) == 0 {
		return
	}
	if sel, ok := ast.Unparen(call.Args[0]).(*ast.SelectorExpr); ok {
		if of, ok := pass.TypesInfo.Uses[sel.Sel].(*types.Func); ok {
			s.deliver[of.Origin()] = true
		}
	}
}

func takesEnv(f *types.Func) bool {
	sig := f.Signature()
	if r := sig.Recv(); r != nil && hasEnv(r.Type()) {
		return true
	}
	for v := range sig.Params().Variables() {
		if hasEnv(v.Type()) {
			return true
		}
	}
	return false
}

// follow adds the roots and, repeatedly, the functions of the package that they mention.
func (s *service) follow(pass *analysis.Pass, roots []ast.Node) {
	seen := map[ast.Node]bool{}
	for len(roots) > 0 {
		n := roots[len(roots)-1]
		roots = roots[:len(roots)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		s.bodies = append(s.bodies, n)
		ast.Inspect(n, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if f, ok := pass.TypesInfo.Uses[id].(*types.Func); ok && s.decls[f.Origin()] != nil {
					roots = append(roots, s.decls[f.Origin()])
				}
			}
			return true
		})
	}
}

// effects are the methods of package sim for which the order of calls matters.
var effects = map[string][]string{
	"Env":   {"Choose", "Weighted", "Now", "Before", "BeforeWeighted", "Monotone", "After", "Cancel", "Post", "Emit"},
	"Port":  {"Send"},
	"Conn":  {"Send", "RequestToSend", "NotifyFlushed", "Reset"},
	"Store": {"Write", "Append", "Delete", "Truncate", "Sync"},
}

// isEffect reports whether a function is one of the methods in effects.
func isEffect(f *types.Func) bool {
	if f == nil || f.Signature().Recv() == nil {
		return false
	}
	for _, name := range effects[ofSim(f.Signature().Recv().Type())] {
		if name == f.Name() {
			return true
		}
	}
	return false
}

// spread finds the functions that call effects, directly or through other functions.
func (s *service) spread(pass *analysis.Pass) {
	for grew := true; grew; {
		grew = false
		for f, d := range s.decls {
			if !s.effects[f] && s.has(pass, d.Body) {
				s.effects[f], grew = true, true
			}
		}
	}
}

// has reports whether code mentions an effect, or a function that is known to call one.
func (s *service) has(pass *analysis.Pass, n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			f, _ := pass.TypesInfo.Uses[id].(*types.Func)
			found = found || f != nil && (isEffect(f) || s.effects[f.Origin()])
		}
		return !found
	})
	return found
}
