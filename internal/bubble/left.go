package bubble

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// A Goroutine is a goroutine in the bubble, other than the caller, whose life was not killed.
type Goroutine struct {
	Life  uint32
	Stack string // as runtime.Stack has it, without the number of the goroutine
}

// SetLife moves the caller, and the goroutines that it starts from now on, into a life, and returns the life
// in which the caller was. Lives are 1 to 255.
func SetLife(life uint32) (before uint32) { return macemcSetLife(life) }

// Hush begins a stretch in which the caller does not pause, and Unhush ends it.
// Stretches may be nested.
func Hush() { macemcHush(1) }

// Unhush ends a stretch that Hush began.
func Unhush() { macemcHush(-1) }

// Kill ends a life: none of its goroutines runs again, and none of its timers has an effect. The caller must
// not be one of these goroutines, and all of them must be blocked.
func Kill(life uint32) { macemcKill(life) }

// SetClock sets the clocks of a life from now on: its wall clock is ahead by jump, and all of its clocks are
// fast by rate parts in a million. The time that its monotonic clock has gained so far remains, and counts
// for the wall clock, too; SetClock returns it.
func SetClock(life uint32, jump time.Duration, rate int) (lead time.Duration) {
	lead = time.Duration(macemcLead(life))
	macemcSetClock(life, int64(jump), int64(rate), int64(lead))
	return lead
}

// Left returns the goroutines that are in the bubble, without the caller. Without the overlay it returns
// none.
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

// Lives returns the number of the life of each goroutine that Left returns, in the same order.
func Lives() []uint32 {
	_, lives := left()
	return lives
}

// left returns the numbers and lives of the goroutines that Left describes. It is much cheaper than their
// stacks.
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

// String returns the stack, which begins with the reason for which the goroutine waits.
func (g Goroutine) String() string { return fmt.Sprint(strings.TrimSuffix(g.Stack, "\n")) }
