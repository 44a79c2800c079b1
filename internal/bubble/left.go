package bubble

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// A Goroutine is one that is there in the bubble, other than the caller, and whose
// life was not killed.
type Goroutine struct {
	Life  uint32
	Stack string // as runtime.Stack has it, without the number of the goroutine
}

// SetLife makes the caller, and the goroutines that it starts from now on, a part
// of a life, and returns the one it was in. Lives are 1 to 255.
func SetLife(life uint32) (before uint32) { return macemcSetLife(life) }

// Hush begins a stretch in which the caller does not pause, and Unhush ends it.
// Stretches may be nested.
func Hush() { macemcHush(1) }

// Unhush ends a stretch that Hush began.
func Unhush() { macemcHush(-1) }

// Kill ends a life: none of its goroutines runs again, and none of its timers does
// anything. The caller is not one of them, and all of them are blocked.
func Kill(life uint32) { macemcKill(life) }

// SetClock sets what a life takes for the time from now on: its wall clock is ahead by jump, and all its
// clocks are fast by rate of a million. What the monotonic clock is ahead by then stays, and stands in the
// wall clock, too; SetClock returns it.
func SetClock(life uint32, jump time.Duration, rate int) (lead time.Duration) {
	lead = time.Duration(macemcLead(life))
	macemcSetClock(life, int64(jump), int64(rate), int64(lead))
	return lead
}

// Left returns the goroutines of the bubble that are there, but for the caller.
// Without the overlay there are none.
func Left() (out []Goroutine) {
	ids, lives := left()
	if len(ids) == 0 {
		return nil
	}
	stacks := stacks()
	for i, id := range ids {
		out = append(out, Goroutine{Life: lives[i], Stack: stacks[id]})
	}
	return out
}

// Lives returns for each goroutine that Left returns the number of its life.
func Lives() []uint32 {
	_, lives := left()
	return lives
}

// left returns the numbers and lives of these goroutines. Their stacks cost more by far.
func left() (ids []uint64, lives []uint32) {
	size := 256
	for {
		ids, lives = make([]uint64, size), make([]uint32, size)
		n := macemcLeft(ids, lives)
		if n <= size {
			return ids[:n], lives[:n]
		}
		size = n
	}
}

// stacks returns the stacks of all goroutines by their numbers.
func stacks() map[uint64]string {
	buf := make([]byte, 1<<20)
	for {
		n := runtime.Stack(buf, true)
		if n < len(buf) {
			buf = buf[:n]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	out := map[uint64]string{}
	for _, s := range strings.Split(string(buf), "\n\n") {
		number, rest, ok := strings.Cut(strings.TrimPrefix(s, "goroutine "), " ")
		if id, err := strconv.ParseUint(number, 10, 64); ok && err == nil {
			out[id] = rest
		}
	}
	return out
}

// String returns the stack, with what the goroutine waits for first.
func (g Goroutine) String() string { return fmt.Sprint(strings.TrimSuffix(g.Stack, "\n")) }
