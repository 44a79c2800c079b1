package bubble

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// A Goroutine is a goroutine of the bubble, other than the caller, that can still run. Goroutines of a life
// that Kill has ended do not count.
type Goroutine struct {
	Life  uint32
	Stack string // in the form of runtime.Stack, without the number of the goroutine
}

// SetLife moves the caller, and all goroutines that it starts from now on, into the life with this number. A
// life is the time of a simulated host between its start and its crash; its number is from 1 to 255. SetLife
// returns the life in which the caller was.
func SetLife(life uint32) (before uint32) { return macemcSetLife(life) }

// Hush begins a stretch of the caller's code in which the scheduler does not make it pause; Unhush ends the
// stretch. Stretches may be nested.
func Hush() { macemcHush(1) }

// Unhush ends the stretch that Hush began.
func Unhush() { macemcHush(-1) }

// Kill ends a life: none of its goroutines runs again, and its timers have no effect. All of its goroutines
// must be blocked, so the caller must not be one of them.
func Kill(life uint32) { macemcKill(life) }

// SetClock changes the clocks of a life. From now on both its wall clock and its monotonic clock run fast by
// rate parts in a million. The monotonic clock does not jump: it keeps the lead over the bubble's clock that
// it has gained at earlier rates, and SetClock returns this lead. The wall clock is ahead of the bubble's by
// this lead and by jump.
func SetClock(life uint32, jump time.Duration, rate int) (lead time.Duration) {
	lead = time.Duration(macemcLead(life))
	macemcSetClock(life, int64(jump), int64(rate), int64(lead))
	return lead
}

// Left returns the goroutines that are in the bubble, except for the caller. Without the overlay it returns
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

// Lives returns, for each goroutine that Left returns and in the same order, the number of its life.
func Lives() []uint32 {
	_, lives := left()
	return lives
}

// left returns the runtime's numbers and the lives of the goroutines that Left describes. That costs much
// less than their stacks.
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

// stacks returns the stack of each goroutine by the runtime's number of the goroutine.
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

// String returns the stack, which begins with what the goroutine waits for.
func (g Goroutine) String() string { return fmt.Sprint(strings.TrimSuffix(g.Stack, "\n")) }
