package account

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"macemc/internal/lines"
	"macemc/trace"
)

// Order is a statement that ranges over a map. Its effect may differ from one execution to the next.
type Order struct {
	Source
	Text string // the line of source
}

// Orders returns the statements that may make the step of a finding nondeterministic, since they range over a
// map. If it is known which lines ran in the step, it returns those that ran, and otherwise those in the
// step's handler and in functions of the same package that the handler calls.
func (a *Account) Orders() []Order {
	f := a.Finding
	if f.Verdict != trace.VerdictNondeterminism {
		return nil
	}
	ran, _ := a.Ran()
	if parts, known := ran.Of(f.Step); known {
		return a.Sources().ordersRan(parts, ran.Functions)
	}
	handler := a.Sources().find(handled{f.Node, "Init", nil})
	if s := a.Step(f.Step); s != nil {
		handler = a.Sources().Handler(s.Event)
	}
	return a.Sources().ordersOf(handler)
}

// ordersRan returns the statements that range over a map and whose bodies have run. parts says
// which pieces of the functions have run.
func (l *Sources) ordersRan(parts []lines.Part, functions []lines.Function) (all []Order) {
	pieces := map[string][]lines.Piece{} // of a file
	for _, p := range parts {
		f := functions[p.Function]
		for _, k := range p.Pieces {
			pieces[f.File] = append(pieces[f.File], f.Pieces[k])
		}
	}
	for file, ran := range pieces {
		pkg := l.checked(file)
		for _, r := range pkg.orders(pkg.files[file]) {
			at := l.set.Position(r.Body.Lbrace)
			if slices.ContainsFunc(ran, func(p lines.Piece) bool { return p.Line == at.Line && p.Column >= at.Column && p.Column <= at.Column+1 }) {
				all = append(all, l.order(r))
			}
		}
	}
	slices.SortFunc(all, func(a, b Order) int { return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line) })
	return all
}

// ordersOf returns the statements that range over a map in a handler, or in functions of the same package that
// it calls.
func (l *Sources) ordersOf(handler Source) (all []Order) {
	if handler.path == "" {
		return nil
	}
	pkg := l.checked(handler.path)
	var from ast.Decl
	if file := pkg.files[handler.path]; file != nil {
		for _, d := range file.Decls {
			if l.set.Position(d.Pos()).Line <= handler.Line && handler.Line <= l.set.Position(d.End()).Line {
				from = d
			}
		}
	}
	met := map[ast.Node]bool{}
	var visit func(ast.Node)
	visit = func(d ast.Node) {
		if d == nil || met[d] {
			return
		}
		met[d] = true
		for _, r := range pkg.orders(d) {
			all = append(all, l.order(r))
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if id, is := n.(*ast.Ident); is {
				if f, is := pkg.info.Uses[id].(*types.Func); is && pkg.decls[f.Origin()] != nil {
					visit(pkg.decls[f.Origin()])
				}
			}
			return true
		})
	}
	if from != nil {
		visit(from)
	}
	return all
}

func (l *Sources) order(r *ast.RangeStmt) Order {
	at := l.set.Position(r.Pos())
	text := ""
	if all := l.text(at.Filename); at.Line <= len(all) {
		text, _, _ = strings.Cut(strings.TrimSuffix(strings.TrimSpace(all[at.Line-1]), "{"), " {")
	}
	return Order{Source: Source{File: inModule(at.Filename), Line: at.Line, path: at.Filename}, Text: strings.TrimSpace(text)}
}

// checkedPackage is a parsed package, with the types of its expressions as far as its own files determine them.
// Imports are not read, so imported names have no types.
type checkedPackage struct {
	files map[string]*ast.File
	info  *types.Info
	decls map[*types.Func]*ast.FuncDecl
}

// checked parses the package that contains a file, and determines the types of its expressions. It passes over
// files of the package that cannot be read.
func (l *Sources) checked(file string) *checkedPackage {
	dir := filepath.Dir(file)
	if p := l.checks[dir]; p != nil {
		return p
	}
	p := &checkedPackage{files: map[string]*ast.File{}, decls: map[*types.Func]*ast.FuncDecl{}, info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}}
	if l.checks == nil {
		l.checks = map[string]*checkedPackage{}
	}
	l.checks[dir] = p
	names, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	is := l.parsed(file)
	var all []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(file, "_test.go") {
			continue
		}
		if one, err := parser.ParseFile(l.set, name, nil, parser.SkipObjectResolution); err == nil && is != nil && one.Name.Name == is.Name.Name {
			p.files[name] = one
			all = append(all, one)
		}
	}
	check := types.Config{Importer: nothing{}, Error: func(error) {}}
	_, _ = check.Check(dir, l.set, all, p.info)
	for _, one := range all {
		for _, d := range one.Decls {
			if f, is := d.(*ast.FuncDecl); is {
				if of, is := p.info.Defs[f.Name].(*types.Func); is {
					p.decls[of] = f
				}
			}
		}
	}
	return p
}

// nothing is an importer that returns an empty package for every import.
type nothing struct{}

func (nothing) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, path[strings.LastIndexByte(path, '/')+1:])
	p.MarkComplete()
	return p, nil
}

// orders returns the statements below a node of the syntax tree that range over a map. It leaves out statements
// that only collect values which are sorted afterwards.
func (p *checkedPackage) orders(in ast.Node) (all []*ast.RangeStmt) {
	if in == nil {
		return nil
	}
	var around ast.Node
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			around = n
		case *ast.RangeStmt:
			if (p.isMap(n.X) || ofMaps(n.X)) && !sorted(n, around) {
				all = append(all, n)
			}
		}
		return true
	})
	return all
}

func (p *checkedPackage) isMap(x ast.Expr) bool {
	t := p.info.TypeOf(x)
	if t == nil {
		return false
	}
	_, is := t.Underlying().(*types.Map)
	return is
}

// ofMaps reports whether an expression calls a function of package maps that ranges over a map, such as
// maps.Keys.
func ofMaps(x ast.Expr) bool {
	call, is := x.(*ast.CallExpr)
	if !is {
		return false
	}
	of, is := call.Fun.(*ast.SelectorExpr)
	if !is {
		return false
	}
	pkg, is := of.X.(*ast.Ident)
	return is && pkg.Name == "maps" && slices.Contains([]string{"Keys", "Values", "All"}, of.Sel.Name)
}

// sorted reports whether the order of a range statement over a map does not matter, since its body only
// appends to a variable which the function in sorts after the statement.
func sorted(r *ast.RangeStmt, in ast.Node) bool {
	if in == nil || len(r.Body.List) != 1 {
		return false
	}
	set, is := r.Body.List[0].(*ast.AssignStmt)
	if !is || len(set.Lhs) != 1 {
		return false
	}
	to, is := set.Lhs[0].(*ast.Ident)
	if !is {
		return false
	}
	found := false
	ast.Inspect(in, func(n ast.Node) bool {
		call, is := n.(*ast.CallExpr)
		if !is || call.Pos() < r.End() || len(call.Args) == 0 {
			return true
		}
		if of, is := call.Fun.(*ast.SelectorExpr); is && strings.HasPrefix(of.Sel.Name, "Sort") || is && of.Sel.Name == "Strings" || is && of.Sel.Name == "Ints" {
			arg, is := call.Args[0].(*ast.Ident)
			found = found || is && arg.Name == to.Name
		}
		return true
	})
	return found
}

// At returns the place in the source to which a report of the finding points: for a nondeterministic step, the
// first statement that ranges over a map; otherwise the place that Sources.Of returns.
func (a *Account) At() Source {
	if all := a.Orders(); len(all) > 0 {
		return all[0].Source
	}
	return a.Sources().Of(a.Finding)
}
