package canon

import (
	"encoding/binary"
	"fmt"
	"reflect"
)

// A track is the walk through the memory of one type's values, including structs and arrays
// inside of them: steps in the order of their bytes. The track of a plan is made ("laid")
// when the plan is first walked. It is laid again when the Walker has compiled pointers to
// more types, since inline values of these types must then be registered.
type track struct {
	marks  int // Walker.marks when the track was laid
	steps  []step
	inner  int    // where to begin if a pointer led to the value: 1 if the first step registers it, which the pointer has done
	visits uint64 // the number of visits after the last step

	size     uintptr
	raw      bool   // whether the value is a single run of bytes without padding
	rawVisit uint64 // the number of visits in that run
	text     bool   // whether the value is a single string
	memory          // for runtime.go
}

// step writes the encoding of the part of a value at the offset off.
type step struct {
	op     stepOp
	off    uint32
	size   uint32 // of runs, in bytes; of arrays, in elements
	visits uint32 // the number of visits of the values that begin at this step, and of those passed without a step since the previous one
	plan   *plan
	place  *place
}

type stepOp uint8

const (
	stepRaw stepOp = 1 + iota // size bytes
	stepRaw1
	stepRaw4
	stepRaw8
	stepSwapped // a number of size bytes, highest byte first
	stepString
	stepBytes
	stepSlice
	stepItems // an array: size elements of type plan
	stepPointer
	stepDynamic
	stepMap
	stepTime
	stepLock
	stepRWLock
	stepSummary
	stepContent
	stepName
	stepRegister // see registerInline
)

func (s *step) isRaw() bool { return s.op >= stepRaw && s.op <= stepRaw8 }

// place says which part of a value a step writes, so that a refusal can name it: a field of a struct, or an
// element of an array.
type place struct {
	up    *place
	of    reflect.Type
	field string // "" for an element
	index int
}

// name adds l and the places around it to the path of a refusal.
func (l *place) name(r *refusal) *refusal {
	for ; l != nil; l = l.up {
		if l.field == "" {
			r.in(fmt.Sprintf("[%d]", l.index))
		} else {
			r.inField(l.of, l.field)
		}
	}
	return r
}

// trackOf returns the track of p. It lays the track if p has none, or an outdated one.
func (w *Walker) trackOf(p *plan) *track {
	if f := p.track; f != nil && f.marks == w.marks {
		return f
	}
	return w.lay(p)
}

func (w *Walker) lay(p *plan) *track {
	if p.track == nil {
		p.track = &track{size: p.typ.Size()}
	}
	f := p.track
	c := laying{w: w}
	c.add(p, 0)
	f.marks, f.steps, f.visits, f.inner = w.marks, c.steps, uint64(c.visits), 0
	f.raw, f.text = false, false
	if len(c.steps) > 0 && c.steps[0].op == stepRegister && c.steps[0].plan == p {
		f.inner = 1
	}
	if len(c.steps) == 1 {
		s := &c.steps[0]
		f.raw = s.isRaw() && uintptr(s.size) == f.size
		f.rawVisit = uint64(s.visits + c.visits)
		f.text = s.op == stepString && p.op == opString
	}
	for i := range c.steps {
		if s := &c.steps[i]; s.op == stepRaw {
			s.op = rawOf(s.size)
		}
	}
	w.learn(p, f)
	return f
}

func rawOf(size uint32) stepOp {
	switch size {
	case 1:
		return stepRaw1
	case 4:
		return stepRaw4
	case 8:
		return stepRaw8
	default:
		return stepRaw
	}
}

// laying is the state of laying a track: the steps so far.
type laying struct {
	w      *Walker
	steps  []step
	visits uint32
	place  *place
}

func (c *laying) step(s step) {
	s.visits, s.place = c.visits, c.place
	c.steps, c.visits = append(c.steps, s), 0
}

// bytes adds a step for size bytes at the offset off, or extends the previous step if that is adjacent.
func (c *laying) bytes(off, size uintptr) {
	if n := len(c.steps); n > 0 {
		// A visit without an identity may be counted early.
		if last := &c.steps[n-1]; last.op == stepRaw && uintptr(last.off+last.size) == off {
			last.size += uint32(size)
			last.visits += c.visits
			c.visits = 0
			return
		}
	}
	c.step(step{op: stepRaw, off: uint32(off), size: uint32(size)})
}

// lowFirst reports whether this machine stores the low byte of a number first, as encodings do. It is a
// variable only for tests.
var lowFirst = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// number adds a step for a number of size bytes at the offset off.
func (c *laying) number(off, size uintptr) {
	if lowFirst || size == 1 {
		c.bytes(off, size)
	} else {
		c.step(step{op: stepSwapped, off: uint32(off), size: uint32(size)})
	}
}

// add adds the steps for a value of plan p at the offset off.
func (c *laying) add(p *plan, off uintptr) {
	c.visits++
	if p.pointed {
		c.step(step{op: stepRegister, off: uint32(off), plan: p})
	}
	op := stepOp(0)
	switch p.op {
	case opBool, opInt, opUint, opFloat32, opFloat64:
		c.number(off, p.typ.Size())
		return
	case opComplex64, opComplex128:
		half := p.typ.Size() / 2
		c.number(off, half)
		c.number(off+half, half)
		return
	case opStruct:
		for i := range p.fields {
			f, up := &p.fields[i], c.place
			c.place = &place{up: up, of: p.typ, field: f.name}
			c.add(f.plan, off+f.off)
			c.place = up
		}
		return
	case opArray:
		c.array(p, off)
		return
	case opAtomic:
		c.add(p.elem, off+p.off)
		return
	case opOmit:
		return
	case opString:
		op = stepString
	case opBytes:
		if op = stepBytes; p.elem.pointed {
			op = stepSlice
		}
	case opSlice:
		op = stepSlice
	case opPointer, opAtomicPointer:
		op, off = stepPointer, off+p.off
	case opInterface:
		op = stepDynamic
	case opMap:
		op = stepMap
	case opTime:
		op = stepTime
	case opMutex:
		if op = stepLock; p.typ == rwMutexType {
			op = stepRWLock
		}
	case opSummary:
		op = stepSummary
	case opContent:
		op = stepContent
	case opName:
		op = stepName
		c.visits += c.w.names.visits()
	default:
		panic(fmt.Sprintf("macemc bug: canon has no step for op %d", p.op))
	}
	c.step(step{op: op, off: uint32(off), plan: p})
}

// unrolled is the largest number of elements of an array that get steps of their own.
const unrolled = 4

func (c *laying) array(p *plan, off uintptr) {
	e := c.w.trackOf(p.elem)
	switch n := p.typ.Len(); {
	case n == 0:
	case e.raw:
		c.bytes(off, p.typ.Size())
		c.visits += uint32(n) * uint32(e.rawVisit)
	case n <= unrolled:
		up := c.place
		for i := range n {
			c.place = &place{up: up, index: i}
			c.add(p.elem, off+uintptr(i)*e.size)
		}
		c.place = up
	default:
		c.step(step{op: stepItems, off: uint32(off), size: uint32(n), plan: p.elem})
	}
}
