package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"os"
	"strings"
)

// A mutant is a copy of one file in which one piece of the text is replaced.
type mutant struct {
	ID       string
	Name     string // for a named mutant
	Room     string
	Package  string // its import path
	File     string
	Line     int
	Function string
	Kind     string // the kind of change
	Old, New string // the line before and after the change, for people

	text string // the text of the changed file
}

func (m *mutant) String() string {
	name := m.Name
	if name != "" {
		name = " (" + name + ")"
	}
	file := m.File
	if dir, err := os.Getwd(); err == nil {
		file = strings.TrimPrefix(file, dir+"/")
	}
	return fmt.Sprintf("%s %s:%d %s: %s%s\n  - %s\n  + %s", m.ID, file, m.Line, m.Function, m.Kind, name, m.Old, m.New)
}

// finder makes all mutants of one file.
type finder struct {
	room, pkg, file string
	src             string
	fset            *token.FileSet
	function        string
	seen            map[string]int // by identity: the number of mutants so far that have it
	all             []*mutant
}

// mutantsOf returns all mutants of the file with the text src.
func mutantsOf(room, pkg, file, src string) ([]*mutant, error) {
	f := &finder{room: room, pkg: pkg, file: file, src: src, fset: token.NewFileSet(), seen: map[string]int{}}
	tree, err := parser.ParseFile(f.fset, file, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		if f.function = fn.Name.Name; fn.Recv != nil {
			f.function = receiver(fn.Recv.List[0].Type) + "." + f.function
		}
		ast.Inspect(fn.Body, f.visit)
	}
	return f.all, nil
}

func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	default:
		return "?"
	}
}

// turned has, for each operator, the operators by which mutants replace it. kind is the name of such a
// change, and by is the new operator.
var turned = map[token.Token][]struct {
	kind string
	by   token.Token
}{
	token.EQL:     {{"condition flipped", token.NEQ}},
	token.NEQ:     {{"condition flipped", token.EQL}},
	token.LSS:     {{"condition flipped", token.GEQ}, {"bound moved", token.LEQ}},
	token.LEQ:     {{"condition flipped", token.GTR}, {"bound moved", token.LSS}},
	token.GTR:     {{"condition flipped", token.LEQ}, {"bound moved", token.GEQ}},
	token.GEQ:     {{"condition flipped", token.LSS}, {"bound moved", token.GTR}},
	token.LAND:    {{"condition flipped", token.LOR}},
	token.LOR:     {{"condition flipped", token.LAND}},
	token.ADD:     {{"bound moved", token.SUB}},
	token.SUB:     {{"bound moved", token.ADD}},
	token.AND_NOT: {{"condition flipped", token.AND}},
}

func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		f.replace("condition flipped", n.Cond.Pos(), n.Cond.End(), "!("+f.of(n.Cond)+")")
		f.replace("condition dropped", n.Cond.Pos(), n.Cond.End(), "("+f.of(n.Cond)+") || true")
	case *ast.BinaryExpr:
		if lit, ok := n.X.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			return true
		}
		for _, t := range turned[n.Op] {
			f.replace(t.kind, n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), t.by.String())
		}
		if n.Op == token.LAND || n.Op == token.LOR {
			f.replace("condition dropped", n.X.End(), n.End(), "")
			f.replace("condition dropped", n.Pos(), n.Y.Pos(), "")
		}
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			f.replace("condition flipped", n.OpPos, n.OpPos+1, "")
		}
	case *ast.IncDecStmt:
		f.replace("update dropped", n.Pos(), n.End(), "")
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE && !blank(n.Lhs) {
			f.replace("update dropped", n.Pos(), n.End(), strings.Repeat("_, ", len(n.Rhs)-1)+"_ = "+f.between(n.Rhs[0].Pos(), n.Rhs[len(n.Rhs)-1].End()))
		}
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); ok && !isPanic(call) {
			f.replace("update dropped", n.Pos(), n.End(), "")
		}
	case *ast.ReturnStmt:
		for _, r := range n.Results {
			f.answer(r)
		}
	case *ast.BasicLit:
		if n.Kind == token.INT && len(n.Value) == 1 {
			f.replace("bound moved", n.Pos(), n.End(), "("+n.Value+" + 1)")
		}
	}
	return true
}

// answer adds a mutant for the result r of a return statement: if r is true, the mutant returns false,
// and if r is false, true. For any other r it adds none.
func (f *finder) answer(r ast.Expr) {
	id, ok := r.(*ast.Ident)
	switch {
	case ok && id.Name == "true":
		f.replace("answer turned", r.Pos(), r.End(), "false")
	case ok && id.Name == "false":
		f.replace("answer turned", r.Pos(), r.End(), "true")
	}
}

func blank(list []ast.Expr) bool {
	for _, e := range list {
		if id, ok := e.(*ast.Ident); ok && id.Name == "_" {
			return true
		}
	}
	return false
}

func isPanic(c *ast.CallExpr) bool {
	id, ok := c.Fun.(*ast.Ident)
	return ok && id.Name == "panic"
}

func (f *finder) of(n ast.Node) string { return f.between(n.Pos(), n.End()) }

func (f *finder) between(from, to token.Pos) string {
	return f.src[f.fset.Position(from).Offset:f.fset.Position(to).Offset]
}

// replace adds the mutant in which the text from one position to another is replaced.
func (f *finder) replace(kind string, from, to token.Pos, by string) {
	a, b := f.fset.Position(from), f.fset.Position(to)
	text := f.src[:a.Offset] + by + f.src[b.Offset:]
	start := strings.LastIndexByte(f.src[:a.Offset], '\n') + 1
	line := func(s string, upTo int) string {
		end := strings.IndexByte(s[upTo:], '\n')
		if end < 0 {
			end = len(s) - upTo
		}
		return strings.Join(strings.Fields(s[start:upTo+end]), " ")
	}
	m := &mutant{
		Room: f.room, Package: f.pkg, File: f.file, Line: a.Line, Function: f.function, Kind: kind,
		Old: line(f.src, b.Offset), New: line(text, a.Offset+len(by)), text: text,
	}
	h := fnv.New32a()
	fmt.Fprint(h, m.Room, m.Function, kind, m.Old, m.New)
	m.ID = fmt.Sprintf("%08x", h.Sum32())
	if f.seen[m.ID]++; f.seen[m.ID] > 1 {
		m.ID = fmt.Sprintf("%s.%d", m.ID, f.seen[m.ID])
	}
	f.all = append(f.all, m)
}
