package account

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"macemc/internal/contract"
	"macemc/internal/kinds"
	"macemc/internal/search"
	"macemc/internal/sight"
	"macemc/internal/wording"
	"macemc/sim"
	"macemc/trace"
)

// Source is a place in the service's code. The zero Source is none.
type Source struct {
	File string // relative to the root of the module, with slashes
	Line int
	Func string // the full name of the function, as in a stack

	path string // the file's path on the disk
}

// Sources finds the handlers of a system's nodes in their source files, and keeps what it has read.
type Sources struct {
	sys   *sim.System
	param sim.Params
	known map[handled]Source
	files map[string]*ast.File // by name; nil for a file that cannot be read
	texts map[string][]string
	set   *token.FileSet

	checks    map[string]*checkedPackage // by folder
	elsewhere map[string]bool            // see layersElsewhere; nil means not looked for yet
}

// handled identifies a handler that Sources looks for.
type handled struct {
	node   sim.Addr
	method string
	value  reflect.Type // the type of the message or signal; nil if it takes none
}

// NewSources returns Sources for the nodes that the system makes with these parameters.
func NewSources(sys *sim.System, p sim.Params) *Sources {
	return &Sources{sys: sys, param: p, known: map[handled]Source{}, files: map[string]*ast.File{}, texts: map[string][]string{}, set: token.NewFileSet()}
}

// Of returns the place to which a report of a finding points: the place of a panic, or else the handler of the
// critical step of a dead run, or else the handler of the last step. A fault has no handler; for a lost or
// duplicated message the place is the handler that sent it, and for other faults it is the handler of the
// nearest step before. The last resort is the function that makes the system's nodes.
func (l *Sources) Of(f *search.Finding) Source {
	if s := l.topOf(f.Stack); s.Line > 0 {
		return s
	}
	at := f.Step
	if f.Critical != nil && f.Verdict == trace.VerdictDead {
		at = f.Critical.Step
	}
	if f.Trace != nil {
		for at = min(at, len(f.Trace.Steps)); at > 0; at-- {
			if s := l.step(f.Trace, at); s.Line > 0 {
				return s
			}
		}
	}
	return l.function(reflect.ValueOf(l.sys.New))
}

// step returns the handler of the n-th step of a trace, counted from 1. If that step loses or duplicates a
// message, it returns the handler that sent the message.
func (l *Sources) step(t *trace.Trace, n int) Source {
	s := &t.Steps[n-1]
	if s.Event.Kind.Fault() {
		if lost := s.Event.Kind == sim.KindLose || s.Event.Kind == sim.KindDuplicate; !lost && s.Event.Kind != sim.KindReorder {
			return Source{}
		}
		if s.Event.Kind != sim.KindReorder {
			return l.sender(t, s)
		}
	}
	return l.Handler(s.Event)
}

// sender returns the handler that sent the message which step s, a fault, lost or duplicated.
func (l *Sources) sender(t *trace.Trace, s *trace.Step) Source {
	switch cause := s.Cause(); {
	case cause > 0 && cause <= len(t.Steps) && cause < s.Index:
		return l.step(t, cause)
	case cause == 0:
		return l.find(handled{s.Event.From, "Init", nil})
	default:
		return Source{}
	}
}

// Handler returns the place of the handler of an event. If a message of a layer carries another message, it is
// the handler of the carried one. Handler returns the zero Source if no node handles the event.
func (l *Sources) Handler(e sim.Event) Source {
	e.Value, _ = wording.Carried(e.Value)
	switch contract.Row(&e).Handler {
	case kinds.Deliver:
		return l.find(handled{e.Node, "Deliver", reflect.TypeOf(e.Value)})
	case kinds.Handle:
		return l.find(handled{e.Node, "Handle", reflect.TypeOf(e.Value)})
	case kinds.Init:
		return l.find(handled{e.Node, "Init", nil})
	case kinds.Quorum:
		return l.find(handled{e.Node, "Quorum", reflect.TypeOf(e.Value.(sim.Quorum)[0].Message)})
	}
	switch e.Kind {
	case sim.KindError, sim.KindRefused, sim.KindBreak:
		return l.find(handled{e.Node, "Handle", reflect.TypeFor[sim.PeerError]()})
	case sim.KindClear:
		return l.find(handled{e.Node, "Handle", reflect.TypeFor[sim.ClearToSend]()})
	case sim.KindFlushed:
		return l.find(handled{e.Node, "Handle", reflect.TypeFor[sim.Flushed]()})
	default:
		return Source{}
	}
}

func (l *Sources) find(h handled) Source {
	if s, ok := l.known[h]; ok {
		return s
	}
	s := l.search(h)
	l.known[h] = s
	return s
}

// handlerKinds maps a method of sim.Node to the kind of the handlers that it calls.
var handlerKinds = map[string]sight.HandlerKind{
	"Init": sight.HandlerInit, "Deliver": sight.HandlerMessage, "Handle": sight.HandlerSignal, "Quorum": sight.HandlerQuorum,
}

// search looks for the handler of a value in the layers of its node, from outside to inside. It returns the first
// layer's handler whose table lists the value's type. If there is none, it returns the first method whose type
// switch has a case for that type, and then the first method of a layer from the package that declares the type.
// The last resorts are the method of the outermost layer that has one, and the function that makes the nodes.
func (l *Sources) search(h handled) Source {
	var methods []reflect.Value
	var owners []reflect.Type
	for _, node := range l.layers(h.node) {
		if of, ok := node.(sight.Handled); ok {
			if one, ok := of.Handlers().Find(handlerKinds[h.method], h.value); ok {
				return standing(one.Code)
			}
			continue
		}
		t := reflect.TypeOf(node)
		if m, ok := method(t, h.method); ok {
			methods, owners = append(methods, m), append(owners, t)
		}
	}
	if len(methods) == 0 { // no layer has the method
		return l.function(reflect.ValueOf(l.sys.New))
	}
	if h.value == nil {
		return l.function(methods[0])
	}
	for _, m := range methods {
		if s, ok := l.clause(m, h.value); ok {
			return s
		}
	}
	home := func(t reflect.Type) bool { return packageOf(t) == packageOf(h.value) }
	return l.function(methods[max(0, slices.IndexFunc(owners, home))])
}

// layersElsewhere returns the folders and the import paths of the layers that the service uses and does not define.
// A layer around one of the service's own nodes is such a layer if its package differs from that of the node and
// from that of the function that makes the nodes.
func (l *Sources) layersElsewhere() map[string]bool {
	if l.elsewhere != nil {
		return l.elsewhere
	}
	l.elsewhere = map[string]bool{}
	home := packageOfFunc(standing(reflect.ValueOf(l.sys.New).Pointer()).Func)
	for _, at := range l.param.Addrs() {
		all := l.layers(at)
		for _, node := range all[:max(0, len(all)-1)] {
			t := reflect.TypeOf(node)
			pkg, top := packageOf(t), packageOf(reflect.TypeOf(sight.Subject(all[len(all)-1])))
			if m, ok := method(t, "Deliver"); ok && pkg != home && pkg != top {
				l.elsewhere[pkg], l.elsewhere[filepath.Dir(standing(m.Pointer()).path)] = true, true
			}
		}
	}
	return l.elsewhere
}

// last compares two places for sorting: the service's own code comes before layers from elsewhere.
func (l *Sources) last(a, b Source) int { return compareBools(l.foreign(a), l.foreign(b)) }

// foreign reports whether a place is in a layer from elsewhere: see layersElsewhere.
func (l *Sources) foreign(at Source) bool { return l.layersElsewhere()[filepath.Dir(at.path)] }

// later compares two values for sorting: values of the service's own types come before values of types of
// layers from elsewhere.
func (l *Sources) later(a, b any) int {
	a, _ = wording.Carried(a)
	b, _ = wording.Carried(b)
	return compareBools(l.layersElsewhere()[packageOf(reflect.TypeOf(a))], l.layersElsewhere()[packageOf(reflect.TypeOf(b))])
}

// compareBools compares two values for sorting: false comes before true.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// layers makes a new node, and returns it and the layers inside it.
func (l *Sources) layers(at sim.Addr) (all []sim.Node) {
	defer func() { _ = recover() }() // Upper may panic on a node that was not started
	if at.IsZero() {
		return nil
	}
	for n := l.sys.New(l.param, at); n != nil && len(all) < 16; {
		all = append(all, n)
		layer, ok := n.(contract.Layer)
		if !ok {
			break
		}
		n = layer.Upper()
	}
	return all
}

// method returns the function that implements a method of t. If the method is that of an embedded field, method
// looks through the field, since no file has the wrapper that the compiler generates.
func method(t reflect.Type, name string) (reflect.Value, bool) {
	m, ok := t.MethodByName(name)
	if !ok {
		return reflect.Value{}, false
	}
	if file, _ := runtime.FuncForPC(m.Func.Pointer()).FileLine(m.Func.Pointer()); file != "<autogenerated>" {
		return m.Func, true
	}
	if t.Kind() == reflect.Pointer {
		if f, ok := method(t.Elem(), name); ok {
			return f, true
		}
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return reflect.Value{}, false
	}
	for i := range t.NumField() {
		field := t.Field(i)
		if !field.Anonymous || field.Type.Kind() == reflect.Interface {
			continue
		}
		for _, embedded := range []reflect.Type{field.Type, reflect.PointerTo(field.Type)} {
			if f, ok := method(embedded, name); ok {
				return f, true
			}
		}
	}
	return reflect.Value{}, false
}

// packageOf returns the import path of the package that declares t. For a pointer or slice type without a name,
// it is the package of the type of what t points to, or of t's elements.
func packageOf(t reflect.Type) string {
	for t.Name() == "" && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice) {
		t = t.Elem()
	}
	return t.PkgPath()
}

// function returns the place in the source where the function f is declared.
func (l *Sources) function(f reflect.Value) Source {
	if f.Kind() != reflect.Func || f.IsNil() {
		return Source{}
	}
	return standing(f.Pointer())
}

// standing returns the place in the source of the function whose machine code begins at an address.
func standing(code uintptr) Source {
	fn := runtime.FuncForPC(code)
	file, line := fn.FileLine(code)
	return Source{File: inModule(file), Line: line, Func: fn.Name(), path: file}
}

// clause returns the place of the case for the value's type in a type switch of the method f. It reads the
// source file; ok is false if there is no such case.
func (l *Sources) clause(f reflect.Value, value reflect.Type) (Source, bool) {
	fn := runtime.FuncForPC(f.Pointer())
	name, line := fn.FileLine(f.Pointer())
	file := l.parsed(name)
	if file == nil {
		return Source{}, false
	}
	found := token.NoPos
	for _, d := range file.Decls {
		decl, ok := d.(*ast.FuncDecl)
		if !ok || l.set.Position(decl.Pos()).Line > line || l.set.Position(decl.End()).Line < line {
			continue
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			if c, ok := n.(*ast.CaseClause); ok && found == token.NoPos {
				if slices.ContainsFunc(c.List, func(e ast.Expr) bool { return names(e, value, file.Name.Name) }) {
					found = c.Pos()
				}
			}
			return found == token.NoPos
		})
	}
	if found == token.NoPos {
		return Source{}, false
	}
	return Source{File: inModule(name), Line: l.set.Position(found).Line, Func: fn.Name(), path: name}, true
}

// names reports whether the expression e, in a file of the package pkg, denotes the type t.
func names(e ast.Expr, t reflect.Type, pkg string) bool {
	full := t.String() // with the package's name
	switch e := e.(type) {
	case *ast.Ident:
		return pkg+"."+e.Name == full || t.PkgPath() == "" && e.Name == full
	case *ast.SelectorExpr:
		x, ok := e.X.(*ast.Ident)
		return ok && x.Name+"."+e.Sel.Name == full
	case *ast.StarExpr:
		return t.Kind() == reflect.Pointer && names(e.X, t.Elem(), pkg)
	default:
		return false
	}
}

func (l *Sources) parsed(name string) *ast.File {
	file, known := l.files[name]
	if !known {
		file, _ = parser.ParseFile(l.set, name, nil, parser.SkipObjectResolution)
		l.files[name] = file
	}
	return file
}

// ours reports whether a frame of a stack is in macemc's own code.
func ours(frame string) bool {
	return strings.Contains(frame, "macemc/sim.") || strings.Contains(frame, "macemc/internal/world.")
}

// topOf returns the first frame of a stack that is in the service's module and not in macemc's own code.
func (l *Sources) topOf(stack string) Source {
	lines := strings.Split(stack, "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		place := strings.TrimSpace(lines[i+1])
		colon := strings.LastIndexByte(place, ':')
		if colon < 0 {
			continue
		}
		line, err := strconv.Atoi(place[colon+1:])
		if file := inModule(place[:colon]); err == nil && line > 0 && !filepath.IsAbs(file) && !ours(lines[i]) {
			return Source{File: file, Line: line, Func: lines[i]}
		}
	}
	return Source{}
}

// At returns, as text, the first frame of a stack that is in the service's module and not in macemc's own code,
// or "" if there is none.
func At(stack string) string {
	if s := new(Sources).topOf(stack); s.Line > 0 {
		return fmt.Sprintf("%s:%d", s.File, s.Line)
	}
	return ""
}

// Stack returns a stack in which the files are named relative to the root of the module.
func Stack(stack string) string {
	lines := strings.Split(stack, "\n")
	for i, line := range lines {
		place := strings.TrimSpace(line)
		if colon := strings.LastIndexByte(place, ':'); colon > 0 && strings.HasPrefix(line, "\t") {
			lines[i] = "\t" + inModule(place[:colon]) + place[colon:]
		}
	}
	return strings.Join(lines, "\n")
}

// fileName returns the name of a file as inModule does, except that the name of a file of another module begins
// with the path of that module, since the folder of the file alone would say little.
func fileName(name string) string {
	file := inModule(name)
	if !filepath.IsAbs(file) {
		return file
	}
	for folder := filepath.Dir(name); folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
		if err != nil {
			continue
		}
		relative, err := filepath.Rel(folder, name)
		if m := modulePath.FindSubmatch(text); m != nil && err == nil {
			return string(m[1]) + "/" + filepath.ToSlash(relative)
		}
		break
	}
	return file
}

var modulePath = regexp.MustCompile(`(?m)^module[ \t]+"?([^\s"]+)`)

// inModule returns the name of a file relative to the root of the module that is built. Names of files of other
// modules stay as they are. It takes into account that a build with -trimpath names files by the path of their
// module instead of their folder.
func inModule(name string) string {
	slashed, module := filepath.ToSlash(name), ""
	if info, ok := debug.ReadBuildInfo(); ok {
		module = info.Main.Path
	}
	if !filepath.IsAbs(name) {
		return strings.TrimPrefix(slashed, module+"/")
	}
	for folder := filepath.Dir(name); folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
		if err != nil {
			continue
		}
		relative, err := filepath.Rel(folder, name)
		if err != nil || module != "" && !slices.Contains(strings.Fields(string(text)), module) {
			return slashed
		}
		return filepath.ToSlash(relative)
	}
	return slashed
}
