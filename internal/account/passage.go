package account

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"macemc/eventgraph"
	"macemc/internal/lines"
	"macemc/internal/search"
	"macemc/internal/sight"
	"macemc/sim"
	"macemc/trace"
)

// Passage is a function, or a part of one, that a report shows for a step.
type Passage struct {
	Source
	Lines []Line
	Layer bool // the function is in a layer from elsewhere, and not in the service's own code
}

// Line is a line of source.
type Line struct {
	Number int // 0 if lines were left out here
	Text   string
	Ran    bool
}

const (
	aroundLine  = 2  // lines that are shown around one that ran
	passageMost = 60 // the largest number of lines of a passage
	handlerMost = 40 // the same, if it is not known which lines of the handler ran
)

// Passages returns the functions of the service that ran in a step, as far as their files can be read. The
// handler comes first, and functions of layers from elsewhere come last. If it is not known which
// functions ran, Passages returns only the handler of e.
func (l *Sources) Passages(e sim.Event, parts []lines.Part, functions []lines.Function) (all []Passage) {
	handler := l.Handler(e)
	marks := map[string]map[int]bool{} // of a file: the lines that ran
	where := map[Source][2]int{}
	var order []Source
	for _, part := range parts {
		f := functions[part.Function]
		text := l.text(f.File)
		if text == nil || len(part.Pieces) == 0 {
			continue
		}
		if marks[f.File] == nil {
			marks[f.File] = map[int]bool{}
		}
		for _, p := range part.Pieces {
			mark(marks[f.File], text, f.Pieces[p])
		}
		at, extent, ok := l.around(f.File, f.Pieces[part.Pieces[0]].Line)
		if _, met := where[at]; ok && !met {
			where[at] = extent
			order = append(order, at)
		}
	}
	for _, at := range order {
		extent := where[at]
		if p := (Passage{at, cutOut(l.text(at.path), extent, marks[at.path]), l.foreign(at)}); len(p.Lines) > 0 {
			all = append(all, p)
		}
	}
	is := func(p Passage) bool {
		extent := where[p.Source]
		return handler.Line > 0 && p.path == handler.path && extent[0] <= handler.Line && handler.Line <= extent[1]
	}
	if i := slices.IndexFunc(all, is); i > 0 {
		first := all[i]
		all = slices.Insert(slices.Delete(all, i, i+1), 0, first)
	} else if len(all) == 0 && handler.Line > 0 {
		all = l.unmarked(handler)
	}
	slices.SortStableFunc(all, func(a, b Passage) int { return compareBools(a.Layer, b.Layer) })
	return all
}

// unmarked returns the source of a handler as a Passage in which no line is marked as run, for
// steps of which it is not known which lines ran.
func (l *Sources) unmarked(handler Source) []Passage {
	_, extent, ok := l.around(handler.path, handler.Line)
	text := l.text(handler.path)
	if !ok || text == nil {
		return nil
	}
	p := Passage{Source: handler, Layer: l.foreign(handler)}
	for n := handler.Line; n <= extent[1] && n <= len(text); n++ {
		if len(p.Lines) == handlerMost {
			p.Lines = append(p.Lines, Line{})
			break
		}
		p.Lines = append(p.Lines, Line{Number: n, Text: text[n-1]})
	}
	return []Passage{p}
}

// Unran counts the lines of the service that can run and those that ran, and lists the ranges of lines
// that never ran: first those of the service's own code, then those of layers from elsewhere.
func (l *Sources) Unran(ran *lines.Ran) *search.Lines {
	type decl struct {
		Source
		ran, all map[int]bool // lines
	}
	var order []*decl
	met := map[Source]*decl{}
	did := map[[2]int]bool{}
	for _, part := range ran.Steps[0] {
		for _, p := range part.Pieces {
			did[[2]int{part.Function, p}] = true
		}
	}
	for i, f := range ran.Functions {
		text := l.text(f.File)
		if text == nil {
			continue
		}
		for k, p := range f.Pieces {
			at, _, ok := l.around(f.File, p.Line)
			if !ok {
				continue
			}
			if met[at] == nil {
				met[at] = &decl{at, map[int]bool{}, map[int]bool{}}
				order = append(order, met[at])
			}
			mark(met[at].all, text, p)
			if did[[2]int{i, k}] {
				mark(met[at].ran, text, p)
			}
		}
	}
	out := &search.Lines{}
	slices.SortFunc(order, func(a, b *decl) int {
		return cmp.Or(l.last(a.Source, b.Source), strings.Compare(a.File, b.File), a.Line-b.Line)
	})
	for _, d := range order {
		out.Code += len(d.all)
		out.Ran += len(d.ran)
		all := slices.Sorted(maps.Keys(d.all))
		if len(d.ran) == 0 && len(all) > 0 {
			out.Never = append(out.Never, search.Unran{File: d.File, From: d.Line, To: all[len(all)-1], Func: d.Func})
			continue
		}
		text, open := l.text(d.path), false
		for _, n := range all {
			switch {
			case d.ran[n]:
				open = false
			case open:
				out.Never[len(out.Never)-1].To = n
			default:
				open = true
				out.Never = append(out.Never, search.Unran{File: d.File, From: n, To: n, Func: d.Func, Called: true, Text: strings.TrimSpace(text[n-1])})
			}
		}
	}
	return out
}

// mark sets marks[n] for each line n of a file that the piece p covers, unless the line has no code
// there. text has the lines of the file.
func mark(marks map[int]bool, text []string, p lines.Piece) {
	for n := p.Line; n <= p.EndLine && n <= len(text); n++ {
		line, from, to := text[n-1], 0, len(text[n-1])
		if n == p.Line {
			from = min(p.Column-1, to)
		}
		if n == p.EndLine {
			to = min(p.EndColumn-1, to)
		}
		code := strings.Trim(line[from:max(from, to)], " \t{}()")
		if code != "" && !strings.HasPrefix(code, "//") {
			marks[n] = true
		}
	}
}

// cutOut returns the first line of a function and the lines that ran, with a few lines around each; a short
// function is returned whole. extent has the first and the last line of the function, and marks the lines that
// ran.
func cutOut(text []string, extent [2]int, marks map[int]bool) (out []Line) {
	near := func(n int) bool {
		for k := n - aroundLine; k <= n+aroundLine; k++ {
			if k >= extent[0] && k <= extent[1] && marks[k] {
				return true
			}
		}
		return n == extent[0]
	}
	whole := extent[1]-extent[0] < passageMost/2
	for n := extent[0]; n <= extent[1] && n <= len(text); n++ {
		gap := len(out) > 0 && out[len(out)-1].Number == 0
		switch {
		case len(out) >= passageMost:
			if !gap {
				out = append(out, Line{})
			}
			return out
		case whole || near(n):
			out = append(out, Line{n, text[n-1], marks[n]})
		case !gap:
			out = append(out, Line{})
		}
	}
	return out
}

// around returns the declaration that contains a line of a file, with its first and its last line.
func (l *Sources) around(name string, line int) (at Source, extent [2]int, ok bool) {
	file := l.parsed(name)
	if file == nil {
		return at, extent, false
	}
	for _, d := range file.Decls {
		from, to := l.set.Position(d.Pos()).Line, l.set.Position(d.End()).Line
		if line < from || line > to {
			continue
		}
		at = Source{File: fileName(name), Line: from, Func: file.Name.Name, path: name}
		if f, is := d.(*ast.FuncDecl); is {
			at.Func, from = file.Name.Name+"."+nameOf(f), l.set.Position(f.Name.Pos()).Line
			at.Line = from
		} else if of := valueAt(l.set, d, line); of != "" {
			at.Func += "." + of
		}
		return at, [2]int{from, to}, true
	}
	return at, extent, false
}

// valueAt returns the name of the variable whose declared value contains a line, or "". A function literal
// in such a value has no name of its own.
func valueAt(set *token.FileSet, d ast.Decl, line int) string {
	decl, is := d.(*ast.GenDecl)
	if !is {
		return ""
	}
	for _, spec := range decl.Specs {
		v, is := spec.(*ast.ValueSpec)
		if is && set.Position(v.Pos()).Line <= line && line <= set.Position(v.End()).Line {
			return v.Names[0].Name
		}
	}
	return ""
}

// nameOf returns the name of a function, preceded by its receiver's type.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	star, of := "", f.Recv.List[0].Type
	if s, is := of.(*ast.StarExpr); is {
		star, of = "*", s.X
	}
	switch x := of.(type) {
	case *ast.IndexExpr:
		of = x.X
	case *ast.IndexListExpr:
		of = x.X
	}
	if id, is := of.(*ast.Ident); is {
		return "(" + star + id.Name + ")." + f.Name.Name
	}
	return f.Name.Name
}

// text returns the lines of a file, or nil if it cannot be read.
func (l *Sources) text(name string) []string {
	text, known := l.texts[name]
	if !known {
		if b, err := os.ReadFile(name); err == nil {
			text = strings.Split(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n")
		}
		l.texts[name] = text
	}
	return text
}

// Packages returns the import paths of the packages of the service: those of its nodes, of the values in
// their fields, and of the functions that make them.
func (l *Sources) Packages() (paths []string) {
	add := func(path string) {
		if path != "" && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	add(packageOfFunc(standing(reflect.ValueOf(l.sys.New).Pointer()).Func))
	for _, at := range l.param.Addrs() {
		for _, node := range l.layers(at) {
			if _, handled := node.(sight.Handled); !handled {
				add(packageOf(reflect.TypeOf(node)))
			}
			if inside := sight.Subject(node); inside != nil {
				add(packageOf(reflect.TypeOf(inside)))
			}
		}
	}
	slices.Sort(paths)
	return paths
}

// packageOfFunc returns the import path in the full name of a function.
func packageOfFunc(name string) string {
	slash := strings.LastIndexByte(name, '/') + 1
	pkg, _, _ := strings.Cut(name[slash:], ".")
	return name[:slash] + pkg
}

// Code returns a function that returns the source that ran in a step of the run, as pictures on a page
// show it. Code returns nil if it is not known which lines ran.
func (l *Sources) Code(of *trace.Trace, ran *lines.Ran) func(step int) []eventgraph.Code {
	if ran == nil || of == nil {
		return nil
	}
	return func(step int) []eventgraph.Code {
		if step < 1 || step > len(of.Steps) {
			return nil
		}
		code, _ := l.Ran(ran, step, of.Steps[step-1].Event)
		return code
	}
}

// Ran returns the source that ran when a step of a run handled event e. known is false if it is not known which
// lines ran.
func (l *Sources) Ran(ran *lines.Ran, step int, e sim.Event) (code []eventgraph.Code, known bool) {
	parts, known := ran.Of(step)
	if !known {
		return nil, false
	}
	return pieces(l.Passages(e, parts, ran.Functions)), true
}

// HandlerCode returns the source of the handler of an event, in which no line is marked as run.
func (l *Sources) HandlerCode(e sim.Event) []eventgraph.Code { return pieces(l.Passages(e, nil, nil)) }

func pieces(passages []Passage) (all []eventgraph.Code) {
	for _, p := range passages {
		c := eventgraph.Code{Func: p.Func[strings.LastIndexByte(p.Func, '/')+1:], At: fmt.Sprintf("%s:%d", p.File, p.Line)}
		for _, line := range p.Lines {
			c.Lines = append(c.Lines, eventgraph.CodeLine(line))
		}
		all = append(all, c)
	}
	return all
}

// Passages returns the functions of the service that ran in a step of the finding. If it is not known
// which lines ran, why gives the reason.
func (a *Account) Passages(step int) (all []Passage, why error) {
	s := a.Step(step)
	if s == nil {
		return nil, nil
	}
	ran, why := a.Ran()
	parts, known := ran.Of(step)
	if why == nil && !known {
		why = errNotTaken
	}
	if !known {
		return a.Sources().Passages(s.Event, nil, nil), why
	}
	return a.Sources().Passages(s.Event, parts, ran.Functions), nil
}
