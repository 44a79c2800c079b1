package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A ban is a set of functions of one package that handlers must not call.
type ban struct {
	pkg   string
	names []string // names of the functions; a name that ends in * stands for all names that begin so
	check string
	do    string // advice on what to do instead
}

const (
	useTime    = "use env.Now or env.Monotone, and env.After for a timer"
	useChoose  = "use env.Choose or env.Weighted, so that the answer is a part of the run"
	usePanic   = "panic instead: that is a finding of this handler"
	useLogf    = "use env.Logf"
	useStore   = "use env.Store, the links, or System.Params"
	useNothing = "handlers of a node run one at a time: leave it out"
)

var bans = []ban{
	{"time", []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}, Clock, useTime},
	{"context", []string{"WithTimeout*", "WithDeadline*"}, Clock, useTime},
	{"math/rand", []string{"*"}, Random, useChoose},
	{"math/rand/v2", []string{"*"}, Random, useChoose},
	{"crypto/rand", []string{"*"}, Random, useChoose},
	{"hash/maphash", []string{"MakeSeed", "String", "Bytes", "Comparable"}, Random, useChoose},
	{"os", []string{"Exit"}, Process, usePanic},
	{"syscall", []string{"Exit", "Kill"}, Process, usePanic},
	{"runtime", []string{"Goexit"}, Process, usePanic},
	{"log", []string{"Fatal*"}, Process, usePanic},
	{"fmt", []string{"Print*"}, Print, useLogf},
	{"log", []string{"*"}, Print, useLogf},
	{"log/slog", []string{"Debug*", "Info*", "Warn*", "Error*", "Log*"}, Print, useLogf},
	{"os", []string{"Open*", "Create*", "ReadFile", "WriteFile", "ReadDir", "Mkdir*", "Remove*", "Rename", "Getenv", "LookupEnv", "Environ", "Hostname", "Getpid", "Getwd", "Stat", "Lstat"}, Outside, useStore},
	{"os/exec", []string{"*"}, Outside, useStore},
	{"net", []string{"Dial*", "Listen*", "Lookup*", "Interface*"}, Outside, useStore},
	{"net/http", []string{"Get", "Head", "Post*", "Do", "ListenAndServe*", "Serve*"}, Outside, useStore},
	{"runtime", []string{"NumGoroutine", "NumCPU", "GOMAXPROCS", "Gosched", "ReadMemStats"}, Outside, useStore},
}

// fixed lists functions of banned packages whose results depend only on their arguments.
var fixed = []string{"math/rand.New", "math/rand.NewSource", "math/rand.NewZipf", "math/rand/v2.New", "math/rand/v2.NewPCG", "math/rand/v2.NewChaCha8", "math/rand/v2.NewZipf", "log.New"}

// waiting are the methods of package sync that wait.
var waiting = []string{"Lock", "RLock", "TryLock", "TryRLock", "Wait", "Signal", "Broadcast"}

// calls reports calls whose results a replay does not repeat.
func (c *checker) calls(body ast.Node) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			c.call(n)
		case *ast.SelectorExpr: // os.Stdout, and a banned function that is handed on
			if v, ok := c.pass.TypesInfo.Uses[n.Sel].(*types.Var); ok && v.Pkg() != nil && v.Pkg().Path() == "os" && (v.Name() == "Stdout" || v.Name() == "Stderr") {
				c.report(n.Pos(), Print, "os.%s is outside of the simulation; %s", v.Name(), useLogf)
			}
		case *ast.Ident:
			if f, ok := c.pass.TypesInfo.Uses[n].(*types.Func); ok {
				c.banned(n.Pos(), f)
			}
		}
		return true
	})
}

func (c *checker) call(call *ast.CallExpr) {
	if name := c.builtin(call); name == "print" || name == "println" {
		c.report(call.Pos(), Print, "%s writes to the process's standard error; %s", name, useLogf)
	}
}

// banned reports the use, at a position, of a function that handlers must not call.
func (c *checker) banned(at token.Pos, f *types.Func) {
	if f.Pkg() == nil {
		return
	}
	path, name := f.Pkg().Path(), f.Name()
	if r := f.Signature().Recv(); r != nil {
		c.bannedMethod(at, path, f, r.Type())
		return
	}
	if slices.Contains(fixed, path+"."+name) {
		return
	}
	for _, b := range bans {
		if b.pkg == path && b.has(name) {
			c.report(at, b.check, "%s.%s: %s; %s", f.Pkg().Name(), name, why[b.check], b.do)
			return
		}
	}
}

// why has, for each check, the reason for its reports of calls.
var why = map[string]string{
	Clock:   "no replay repeats what the machine's clock says",
	Random:  "no replay repeats a number that it does not know of",
	Process: "this ends the checker, and a live process with all its nodes",
	Print:   "a search runs a handler a million times",
	Outside: "this is outside of the simulation, which neither repeats nor undoes it",
	Lock:    "a handler that waits stops the whole simulation",
}

// bannedMethod reports a call of a method of a logger, or of a type whose methods wait.
func (c *checker) bannedMethod(at token.Pos, path string, f *types.Func, of types.Type) {
	if p, ok := of.(*types.Pointer); ok {
		of = p.Elem()
	}
	n, ok := types.Unalias(of).(*types.Named)
	if !ok {
		return
	}
	name := n.Obj().Name() + "." + f.Name()
	switch {
	case path == "sync" && slices.Contains(waiting, f.Name()):
		c.report(at, Lock, "sync.%s: %s; %s", name, why[Lock], useNothing)
	case path == "sync" && n.Obj().Name() == "Locker":
		c.report(at, Lock, "sync.%s: %s; %s", name, why[Lock], useNothing)
	case path == "log" && n.Obj().Name() == "Logger" && strings.HasPrefix(f.Name(), "Fatal"):
		c.report(at, Process, "log.%s: %s; %s", name, why[Process], usePanic)
	case (path == "log" || path == "log/slog") && n.Obj().Name() == "Logger" && f.Name() != "With" && f.Name() != "WithGroup":
		c.report(at, Print, "%s.%s: %s; %s", f.Pkg().Name(), name, why[Print], useLogf)
	case path == "net/http" && n.Obj().Name() == "Client":
		c.report(at, Outside, "http.%s: %s; %s", name, why[Outside], useStore)
	}
}

func (b *ban) has(name string) bool {
	return slices.ContainsFunc(b.names, func(n string) bool {
		prefix, all := strings.CutSuffix(n, "*")
		return n == name || all && strings.HasPrefix(name, prefix)
	})
}

// goroutines reports goroutines and channels.
func (c *checker) goroutines(body ast.Node) {
	const instead = "no replay repeats how goroutines interleave; use env.Post for work of its own, and messages"
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			c.report(n.Pos(), Goroutine, "go starts a goroutine: %s", instead)
		case *ast.SelectStmt:
			c.report(n.Pos(), Goroutine, "select picks at random among channels: %s", instead)
			return false
		case *ast.SendStmt:
			c.report(n.Pos(), Goroutine, "this sends to a channel: %s", instead)
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				c.report(n.Pos(), Goroutine, "this waits for a channel: %s", instead)
			}
		case *ast.RangeStmt:
			if _, ok := c.pass.TypesInfo.TypeOf(n.X).Underlying().(*types.Chan); ok {
				c.report(n.Pos(), Goroutine, "this waits for a channel: %s", instead)
			}
		}
		return true
	})
}
