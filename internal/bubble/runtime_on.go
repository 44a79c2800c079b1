//go:build macemc_overlay

package bubble

import _ "unsafe" // for go:linkname

const overlaid = true

//go:linkname macemcStart runtime.macemcStart
func macemcStart(t *tape)

//go:linkname macemcEnd runtime.macemcEnd
func macemcEnd()

//go:linkname macemcRun runtime.macemcRun
func macemcRun(f func())

//go:linkname macemcEnter runtime.macemcEnter
func macemcEnter()

//go:linkname macemcAsk runtime.macemcAsk
func macemcAsk(kind Kind, n uint32) uint32

//go:linkname macemcSetLife runtime.macemcSetLife
func macemcSetLife(life uint32) (before uint32)

//go:linkname macemcHush runtime.macemcHush
func macemcHush(more int32)

//go:linkname macemcKill runtime.macemcKill
func macemcKill(life uint32)

//go:linkname macemcLeft runtime.macemcLeft
func macemcLeft(ids []uint64, lives []uint32) int

//go:linkname macemcSetClock runtime.macemcSetClock
func macemcSetClock(life uint32, jump, rate, lead int64)

//go:linkname macemcLead runtime.macemcLead
func macemcLead(life uint32) int64
