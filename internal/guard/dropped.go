package guard

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"runtime"
)

// Caller is whoever called the function that asks, for Dropped.
func Caller() uintptr {
	var pc [1]uintptr
	if runtime.Callers(3, pc[:]) == 0 {
		return 0
	}
	return pc[0]
}

// Dropped reports whether the code that called a method drops what it returned, and
// where that is, with the folder of the file. It reads the source, if that is there.
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
		switch n := n.(type) {
		case *ast.ExprStmt:
			dropped = dropped || calls(n.X)
		case *ast.AssignStmt:
			if to, is := n.Lhs[0].(*ast.Ident); is && len(n.Lhs) == 1 && to.Name == "_" {
				dropped = dropped || calls(n.Rhs[0])
			}
		}
		return !dropped
	})
	dir, name := filepath.Split(frame.File)
	return fmt.Sprintf("%s/%s:%d", filepath.Base(dir), name, frame.Line), dropped
}
