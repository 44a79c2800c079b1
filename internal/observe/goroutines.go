package observe

import (
	"runtime"
	"strings"
	"sync/atomic"
)

// helpers is the number of goroutines of macemc's own that Goroutines does not count. It belongs to
// the process, as runtime.NumGoroutine does.
var helpers atomic.Int64

// Helps records that n more goroutines of macemc's own run, or fewer if n is negative. They must
// have started already, and must not have ended yet.
func Helps(n int) { helpers.Add(int64(n)) }

// counted returns the number of goroutines of the process, without macemc's own helpers.
// steady is false if the number of helpers changed meanwhile.
func counted() (n int, steady bool) {
	h := helpers.Load()
	n = runtime.NumGoroutine() - int(h)
	return n, helpers.Load() == h
}

// Goroutines notices goroutines that a handler starts. The number of goroutines is
// cheap to get, but belongs to the whole process; the stacks show which code started a
// goroutine, so that others cause no false alarm.
type Goroutines struct {
	count int
	known map[string]bool // by name, such as "goroutine 12": goroutines that this goroutine has started and that do not belong to the service
	buf   []byte
}

// Start counts the goroutines before a handler runs, so that those that were started between two
// steps are not taken for the handler's.
func (g *Goroutines) Start() {
	if n, _ := counted(); n <= g.count {
		g.count = n
		return
	}
	if g.known == nil {
		g.known = map[string]bool{}
	}
	g.Child()
}

// Grown reports whether the process may have more goroutines than at Start.
func (g *Goroutines) Grown() bool {
	n, steady := counted()
	return n > g.count || !steady
}

// Child returns the stack of a goroutine that the calling goroutine has started since the
// last call of Child, or "" if there is none.
func (g *Goroutines) Child() (stack string) {
	all := g.stacks()
	g.count, _ = counted()
	self, _, _ := strings.Cut(all, " [") // the first stack is of the goroutine that asks
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

// stacks returns the stacks of all goroutines. Most processes have few, so the buffer begins small.
func (g *Goroutines) stacks() string {
	const least, most = 8 << 10, 256 << 10
	for {
		n := runtime.Stack(g.buf, true)
		if n < len(g.buf) || n >= most {
			return string(g.buf[:n])
		}
		g.buf = make([]byte, max(least, 2*n))
	}
}
