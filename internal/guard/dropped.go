package guard

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"runtime"
)

// Caller returns an address in the code that called the caller of Caller, which Dropped takes. If skip is
// not 0, Caller goes that many calls further out.
func Caller(skip int) uintptr {
	var pc [1]uintptr
	if runtime.Callers(3+skip, pc[:]) == 0 {
		return 0
	}
	return pc[0]
}

// Dropped reports whether the code at the address caller, which calls a method, drops the method's result.
// place is the file and line, with the file's folder. Assigning the result to _ is a deliberate drop and
// does not count. Dropped reads the source file; without it, it returns false.
func Dropped(caller uintptr, method string) (place string, dropped bool) {
	frame, _ := runtime.CallersFrames([]uintptr{caller}).Next()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, frame.File, nil, parser.SkipObjectResolution)
	if err != nil {
		return "", false
	}
	calls := func(e ast.Expr) bool {
		call, is := e.(*ast.CallExpr)
		if !is {
			return false
		}
		of, is := call.Fun.(*ast.SelectorExpr)
		return is && of.Sel.Name == method &&
			files.Position(call.Pos()).Line <= frame.Line && frame.Line <= files.Position(call.End()).Line
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, is := n.(*ast.ExprStmt); is {
			dropped = dropped || calls(s.X)
		}
		return !dropped
	})
	dir, name := filepath.Split(frame.File)
	return fmt.Sprintf("%s/%s:%d", filepath.Base(dir), name, frame.Line), dropped
}
