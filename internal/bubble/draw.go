package bubble

import (
	"fmt"
	"runtime"
	"slices"
)

// String returns the draw in a line that is the same in every process of one program.
func (d Draw) String() string {
	return fmt.Sprintf("step %d %v %d: %d of %d, goroutine %d", d.Step, d.Kind, d.Index, d.Value, d.N, d.Origin)
}

// Goroutine returns which goroutine asked: its function, and the go statement.
func (d Draw) Goroutine() string {
	if d.Gopc == 0 {
		return fmt.Sprintf("goroutine %d", d.Origin)
	}
	return fmt.Sprintf("goroutine %d (%s, started at %s)", d.Origin, name(d.Startpc), place(d.Gopc))
}

func name(pc uintptr) string {
	if f := runtime.FuncForPC(pc); f != nil {
		return f.Name()
	}
	return "?"
}

// place returns the file and line of a return address.
func place(pc uintptr) string {
	f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}

// Frames returns a stack, innermost call first, without the frames of the runtime.
func Frames(stack []uintptr) (lines []string) {
	if i := slices.Index(stack, 0); i >= 0 {
		stack = stack[:i]
	}
	if len(stack) == 0 {
		return nil
	}
	frames := runtime.CallersFrames(stack)
	for {
		f, more := frames.Next()
		if f.Function != "" && !internal(f.Function) {
			lines = append(lines, fmt.Sprintf("%s %s:%d", f.Function, f.File, f.Line))
		}
		if !more {
			return lines
		}
	}
}

func internal(function string) bool {
	return len(function) > 8 && function[:8] == "runtime." || len(function) > 22 && function[:22] == "internal/runtime/maps."
}
