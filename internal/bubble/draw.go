package bubble

import (
	"fmt"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
)

// String describes the draw in one line, which is the same in every process of one program.
func (d Draw) String() string {
	return fmt.Sprintf("step %d %v %d: %d of %d, goroutine %d", d.Step, d.Kind, d.Index, d.Value, d.N, d.Origin)
}

// Goroutine describes the goroutine that asked for the draw, by its function and the go statement that
// started it.
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

// place returns the file and line of a call, given its return address.
func place(pc uintptr) string {
	f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return line(f)
}

// line returns the file and the line number of a frame in the shortest form in which a reader can find them:
// relative to the current folder or to the folder of the modules, or as the package and the name of the
// file.
func line(f runtime.Frame) string {
	file := f.File
	at := strings.LastIndexByte(f.Function, '/') + 1
	name, _, _ := strings.Cut(f.Function[at:], ".")
	host, _, _ := strings.Cut(f.Function, "/")
	if here, err := os.Getwd(); err == nil && strings.HasPrefix(file, here+"/") {
		file = file[len(here)+1:]
	} else if _, rest, ok := strings.Cut(file, "/pkg/mod/"); ok {
		file = rest
	} else if at == 0 || !strings.Contains(host, ".") { // Go's library, or a module that is no host's
		file = f.Function[:at] + name + "/" + path.Base(file)
	}
	return fmt.Sprintf("%s:%d", file, f.Line)
}

// Frames returns the calls of a stack as text, the innermost first, without the frames of the runtime.
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
			lines = append(lines, f.Function+" "+line(f))
		}
		if !more {
			return lines
		}
	}
}

func internal(function string) bool {
	return len(function) > 8 && function[:8] == "runtime." || len(function) > 22 && function[:22] == "internal/runtime/maps."
}
