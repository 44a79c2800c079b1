//go:build !macemc_overlay

package bubble

import "sync/atomic"

const overlaid = false

func macemcStart(*tape)                          { asked.Store(0) }
func macemcEnd()                                 {}
func macemcRun(func())                           { panic("macemc bug: a run without the overlay has no bubble of its own") }
func macemcEnter()                               {}
func macemcSetLife(uint32) uint32                { return 0 }
func macemcHush(int32)                           {}
func macemcKill(uint32)                          {}
func macemcSetClock(uint32, int64, int64, int64) {}
func macemcLead(uint32) int64                    { return 0 }
func macemcLeft([]uint64, []uint32) int          { return 0 }

// asked counts the draws of the simulated host in the current run.
var asked atomic.Uint64

// macemcAsk draws one of n alternatives: by the seed, or the first one. Without the overlay, the order
// of draws depends on Go's scheduler.
func macemcAsk(kind Kind, n uint32) uint32 {
	h := mix(now.seed + mix(asked.Add(1)))
	if uint32(h&0xffff) >= now.rates[kind] {
		return 0
	}
	return uint32((h >> 32) * uint64(n) >> 32)
}

// mix scatters the bits of x, as the runtime does under the overlay.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
