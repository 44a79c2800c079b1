package observe

import (
	"runtime"
	"strings"
)

// Goroutines notices goroutines that a handler starts. The number of goroutines is
// cheap to get, but belongs to the whole process; the stacks show which code started a
// goroutine, so that others cause no false alarm.
type Goroutines struct {
	count int
	known map[string]bool // goroutines that this one has started and that do not belong to the service
	buf   []byte
}

// Start counts the goroutines before a handler runs, so that those that were started between two
// steps are not taken for the handler's.
func (g *Goroutines) Start() {
	if n := runtime.NumGoroutine(); n <= g.count {
		g.count = n
		return
	}
	if g.known == nil {
		g.known = map[string]bool{}
	}
	g.Child()
}

// Grown reports whether the process has more goroutines than at Start.
func (g *Goroutines) Grown() bool { return runtime.NumGoroutine() > g.count }

// Child returns the stack of a goroutine that this one has started since the last call of Child, or "".
func (g *Goroutines) Child() (stack string) {
	if g.buf == nil {
		g.buf = make([]byte, 256<<10)
	}
	self := string(g.buf[:runtime.Stack(g.buf, false)])
	self, _, _ = strings.Cut(self, " [")
	g.count = runtime.NumGoroutine()
	all := string(g.buf[:runtime.Stack(g.buf, true)])
	for one := range strings.SplitSeq(all, "\n\n") {
		if !strings.Contains(one, " in "+self+"\n") {
			continue
		}
		if id, _, _ := strings.Cut(one, " ["); !g.known[id] {
			g.known[id] = true
			stack = one
		}
	}
	return stack
}
