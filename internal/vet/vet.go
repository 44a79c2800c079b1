package vet

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"
	"golang.org/x/tools/go/types/typeutil"
)

// The names of the checks, as reports and the comments that suppress them use them.
const (
	Clock     = "clock"     // the machine's clock
	Random    = "random"    // random numbers that no run records
	Goroutine = "goroutine" // goroutines and channels
	Lock      = "lock"      // mutexes and other waiting
	Process   = "process"   // the end of the process
	Print     = "print"     // output
	Outside   = "outside"   // files, the network, the environment
	MapOrder  = "maporder"  // effects in the order of a map
	Message   = "message"   // messages that are changed or kept
	Global    = "global"    // package variables that are written
	Result    = "result"    // results of Send that are dropped
	Switch    = "switch"    // switches that ignore unknown types
)

// Checks lists the names of all checks.
var Checks = []string{Clock, Random, Goroutine, Lock, Process, Print, Outside, MapOrder, Message, Global, Result, Switch}

// Analyzer is the analyzer that makes all checks.
var Analyzer = &analysis.Analyzer{
	Name: "macemc",
	Doc:  "report what makes runs of a macemc service impossible to repeat, and messages that change",
	Run:  run,
}

var results string

func init() {
	Analyzer.Flags.StringVar(&results, "results", "loops", "report dropped results of TCP sends in `loops|all`")
}

// Called reports whether go vet has started this process as its tool.
func Called(args []string) bool {
	if len(args) == 0 {
		return false
	}
	last := len(args) - 1
	unit := strings.HasSuffix(args[last], ".cfg") && !slices.ContainsFunc(args[:last], func(a string) bool { return !strings.HasPrefix(a, "-") })
	return args[0] == "-V=full" || args[0] == "-flags" || unit
}

// Main runs the analyzer as go vet asks for it, and ends the process.
func Main() { unitchecker.Main(Analyzer) }

func run(pass *analysis.Pass) (any, error) {
	if !knowsSim(pass.Pkg) {
		return nil, nil
	}
	c := &checker{pass: pass, allowed: map[place][]string{}}
	c.readComments()
	c.service = reached(pass)
	c.mutated = mutations(pass)
	for _, body := range c.service.bodies {
		c.calls(body)
		c.goroutines(body)
		c.mapRanges(body)
		c.messages(body)
		c.globals(body)
		c.dropped(body)
		c.switches(body)
	}
	c.unused()
	return nil, nil
}

// A checker checks one package.
type checker struct {
	pass    *analysis.Pass
	service *service
	mutated map[*types.Var]token.Pos // fields whose slice, map or struct is changed in place, with the position of a change
	allowed map[place][]string       // by line: the checks whose reports are suppressed there
}

type place struct {
	file string
	line int
}

const allow = "//macemc:allow "

// readComments reads the comments that suppress reports.
func (c *checker) readComments() {
	for _, f := range c.pass.Files {
		for _, group := range f.Comments {
			for _, comment := range group.List {
				rest, ok := strings.CutPrefix(comment.Text, allow)
				if !ok {
					continue
				}
				check, reason, _ := strings.Cut(rest, ":")
				at := c.pass.Fset.Position(comment.Pos())
				switch {
				case !slices.Contains(Checks, check):
					c.pass.Reportf(comment.Pos(), "there is no check %q; there are %s", check, strings.Join(Checks, ", "))
				case strings.TrimSpace(reason) == "":
					c.pass.Reportf(comment.Pos(), "say why: %s%s: REASON", allow, check)
				default:
					c.allowed[place{at.Filename, at.Line}] = append(c.allowed[place{at.Filename, at.Line}], check)
				}
			}
		}
	}
}

// report reports a problem, unless a comment suppresses it.
func (c *checker) report(at token.Pos, check, format string, args ...any) {
	p := c.pass.Fset.Position(at)
	for _, line := range []int{p.Line, p.Line - 1} {
		if of := (place{p.Filename, line}); slices.Contains(c.allowed[of], check) {
			c.service.used[of] = append(c.service.used[of], check)
			return
		}
	}
	c.pass.Report(analysis.Diagnostic{Pos: at, Category: check, Message: fmt.Sprintf(format, args...) + " (" + check + ")"})
}

// unused reports comments that suppress nothing.
func (c *checker) unused() {
	for _, f := range c.pass.Files {
		for _, group := range f.Comments {
			for _, comment := range group.List {
				at := c.pass.Fset.Position(comment.Pos())
				of := place{at.Filename, at.Line}
				for _, check := range c.allowed[of] {
					if strings.HasPrefix(comment.Text, allow+check) && !slices.Contains(c.service.used[of], check) {
						c.pass.Reportf(comment.Pos(), "this takes back no report: remove it")
					}
				}
			}
		}
	}
}

// callee returns the function that a call names, or nil.
func (c *checker) callee(call *ast.CallExpr) *types.Func {
	f, _ := typeutil.Callee(c.pass.TypesInfo, call).(*types.Func)
	return f
}

// builtin returns the name of the built-in function that a call names, or "".
func (c *checker) builtin(call *ast.CallExpr) string {
	if b, ok := typeutil.Callee(c.pass.TypesInfo, call).(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

// object returns the variable that an expression names, or nil.
func (c *checker) object(e ast.Expr) types.Object {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		return c.pass.TypesInfo.ObjectOf(id)
	}
	return nil
}

// line returns the line of a position, as text, for a message about another position.
func (c *checker) line(at token.Pos) string {
	p := c.pass.Fset.Position(at)
	return fmt.Sprintf("line %d", p.Line)
}
