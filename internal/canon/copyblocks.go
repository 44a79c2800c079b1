package canon

import (
	"cmp"
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"unsafe"
)

// block is memory that a pointer or a slice leads to: cap values of one type, of which len
// are copied.
type block struct {
	from     unsafe.Pointer
	to       unsafe.Pointer
	plan     *copyPlan
	len, cap int
}

func (b *block) start() uintptr { return uintptr(b.from) }
func (b *block) end() uintptr   { return uintptr(b.from) + uintptr(b.cap)*b.plan.size }

// copiedMap is a map that the copy has met, and its copy.
type copiedMap struct{ from, to unsafe.Pointer }

// Blocks that overlap

// group is a stretch of memory that contains blocks which overlap. All of them are copied into the
// memory at to.
type group struct {
	start, end uintptr
	to         unsafe.Pointer
}

// overlap reports whether two of the blocks share memory. If so, a pointer led into the middle of
// another object, and the copy must be made again.
func (c *copies) overlap() bool {
	if len(c.blocks) <= 6 {
		for i := range c.blocks {
			for j := range i {
				if c.blocks[i].start() < c.blocks[j].end() && c.blocks[j].start() < c.blocks[i].end() {
					return true
				}
			}
		}
		return false
	}
	c.spans = c.spans[:0]
	for i := range c.blocks {
		c.spans = append(c.spans, span{c.blocks[i].start(), c.blocks[i].end()})
	}
	slices.SortFunc(c.spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	for i := 1; i < len(c.spans); i++ {
		if c.spans[i].start < c.spans[i-1].end {
			return true
		}
	}
	return false
}

// span is the stretch of memory that a block takes up.
type span struct{ start, end uintptr }

// sort orders the blocks by their addresses; of those at one address, the longest comes first.
func (c *copies) sort() {
	slices.SortFunc(c.blocks, func(a, b block) int {
		switch {
		case a.start() < b.start():
			return -1
		case a.start() > b.start():
			return 1
		case a.end() > b.end():
			return -1
		case a.end() < b.end():
			return 1
		}
		return 0
	})
}

// merge divides the blocks into groups of overlapping ones, and allocates the copy's memory for
// each group. It returns false if it cannot.
func (c *copies) merge() bool {
	c.sort()
	for i := 0; i < len(c.blocks); {
		first := &c.blocks[i]
		end, j := first.end(), i+1
		whole := true // whether the first block contains the others
		for ; j < len(c.blocks) && c.blocks[j].start() < end; j++ {
			if b := &c.blocks[j]; b.end() > end {
				end, whole = b.end(), false
			}
		}
		g := group{start: first.start(), end: end}
		if whole {
			g.to = first.plan.memory(first.cap)
		} else if g.to = union(c.blocks[i:j], g); g.to == nil {
			c.refused = fmt.Sprintf("values of %s overlap other values in memory only in part, which only unsafe code can bring about", first.plan.typ)
			return false
		}
		c.groups = append(c.groups, g)
		i = j
	}
	return true
}

// memory allocates memory for n values of the plan's type, before the second pass copies values
// into it. For one value it allocates no list, but the value alone.
func (cp *copyPlan) memory(n int) unsafe.Pointer {
	if n == 1 {
		return reflect.New(cp.typ).UnsafePointer()
	}
	return reflect.MakeSlice(cp.list, n, n).UnsafePointer()
}

// union allocates the copy's memory for blocks that overlap because they are parts of one array. It
// returns nil if they overlap in another way, which is possible only with unsafe code.
func union(blocks []block, g group) unsafe.Pointer {
	cp := blocks[0].plan
	typ := cp.typ
	if blocks[0].cap == 1 && typ.Kind() == reflect.Array {
		typ = typ.Elem() // a slice that was converted to a pointer to an array
	}
	size, covered := typ.Size(), g.start
	for i := range blocks {
		b := &blocks[i]
		if b.end() <= covered {
			continue
		}
		if b.plan.typ != typ && !(b.plan.typ.Kind() == reflect.Array && b.plan.typ.Elem() == typ) || (b.start()-g.start)%size != 0 {
			return nil
		}
		covered = b.end()
	}
	n := int((g.end - g.start) / size)
	return reflect.MakeSlice(reflect.SliceOf(typ), n, n).UnsafePointer()
}

// translate returns the address in the copy that corresponds to the address p in the original. p
// must be an address that the first pass met.
func (c *copies) translate(p unsafe.Pointer) unsafe.Pointer {
	at := uintptr(p)
	i, found := slices.BinarySearchFunc(c.groups, at, func(g group, at uintptr) int {
		switch {
		case g.start > at:
			return 1
		case g.end <= at:
			return -1
		}
		return 0
	})
	if !found {
		panic("macemc bug: canon copies an object that it did not meet before")
	}
	return unsafe.Add(c.groups[i].to, at-c.groups[i].start)
}

// again makes the copy a second time, now that the memory of all groups is allocated: it copies
// each block to its place. Memory that is in several blocks is copied several times, with the same
// result.
func (c *copies) again(root *copyPlan) {
	clear(c.maps)
	c.maps, c.second = c.maps[:0], true
	c.mapAt.reset()
	for i := range c.blocks {
		b := &c.blocks[i]
		c.copyItems(b.plan, c.translate(b.from), b.from, b.len)
	}
	c.copyDynamic(root, unsafe.Pointer(&c.to), unsafe.Pointer(&c.from))
}

// The values that were met

func (c *copies) add(b block) {
	c.blocks = append(c.blocks, b)
	if len(c.blocks) > few {
		c.blockAt.cover(len(c.blocks), func(i int) unsafe.Pointer { return c.blocks[i].from })
	}
}

// find returns the block with this address, type and capacity, or nil.
func (c *copies) find(from unsafe.Pointer, cp *copyPlan, cap int) *block {
	if len(c.blocks) <= few {
		for i := range c.blocks {
			if b := &c.blocks[i]; b.from == from && b.plan == cp && b.cap == cap {
				return b
			}
		}
		return nil
	}
	for i := c.blockAt.first(from); ; i++ {
		at := c.blockAt.at(i)
		if at < 0 {
			return nil
		}
		if b := &c.blocks[at]; b.from == from && b.plan == cp && b.cap == cap {
			return b
		}
	}
}

func (c *copies) addMap(from, to unsafe.Pointer) {
	c.maps = append(c.maps, copiedMap{from, to})
	if len(c.maps) > few {
		c.mapAt.cover(len(c.maps), func(i int) unsafe.Pointer { return c.maps[i].from })
	}
}

func (c *copies) findMap(from unsafe.Pointer) unsafe.Pointer {
	if at := c.mapMet(from); at >= 0 {
		return c.maps[at].to
	}
	return nil
}

// mapMet returns the index in c.maps of the map at an address, or -1 if the copy has not met it.
func (c *copies) mapMet(from unsafe.Pointer) int {
	if len(c.maps) <= few {
		for i := range c.maps {
			if c.maps[i].from == from {
				return i
			}
		}
		return -1
	}
	for i := c.mapAt.first(from); ; i++ {
		if at := c.mapAt.at(i); at < 0 || c.maps[at].from == from {
			return at
		}
	}
}

// few is the largest number of blocks, or of maps, that are searched one by one, without an
// addressIndex.
const few = 8

// addressIndex is an open-addressed hash table from addresses to positions in a list. It stays
// empty while the list is short.
type addressIndex struct {
	slots []int32 // a position plus one; 0 if free
	used  int
}

func (x *addressIndex) reset() {
	if x.used > 0 {
		clear(x.slots)
		x.used = 0
	}
}

func (x *addressIndex) first(p unsafe.Pointer) int { return int(spread(uintptr(p)) >> 32) }

// at returns the position that slot i holds, or -1 if the slot is free.
func (x *addressIndex) at(i int) int { return int(x.slots[i&(len(x.slots)-1)]) - 1 }

// cover adds the entries of a list that are not in the index yet. The list now has n entries; from
// returns the address of the i-th.
func (x *addressIndex) cover(n int, from func(int) unsafe.Pointer) {
	if 2*n > len(x.slots) {
		x.slots = make([]int32, 1<<bits.Len(uint(4*n)))
		x.used = 0
	}
	for ; x.used < n; x.used++ {
		i := x.first(from(x.used))
		for x.at(i) >= 0 {
			i++
		}
		x.slots[i&(len(x.slots)-1)] = int32(x.used + 1)
	}
}
