package canon

import (
	"reflect"
	"unsafe"
)

// An immutable value counts by its content. It is walked by a Walker of its own, which
// sees no identity: which of several equal objects a value leads to may depend on the
// order of a map, and no behaviour does.

// compileContent compiles an immutable type, or a pointer to one.
func (w *compiler) compileContent(p *plan) *refusal {
	p.op, p.plain = opContent, true
	return nil
}

// contents returns the Walker of immutable values.
func (w *Walker) contents() *Walker {
	if w.content == nil {
		c := newWalker()
		c.rules, c.skip, c.named, c.through, c.equal = w.rules, w.skip, w.named, w.through, true
		w.content = c
	}
	return w.content
}

// encodeContent writes the hash of the value of plan p at an address.
func (w *Walker) encodeContent(p *plan, at unsafe.Pointer, b []byte) ([]byte, *refusal) {
	if p.typ.Kind() == reflect.Pointer && *(*unsafe.Pointer)(at) == nil {
		return append(b, markNil), nil
	}
	c := w.contents()
	content, r := c.plan(p.typ)
	if r != nil {
		return b, r
	}
	for {
		marks := c.marks
		c.begin()
		c.walk.relative, c.walk.present, c.walk.depth = w.walk.relative, w.walk.present, w.walk.depth
		c.buf, r = c.encode(c.trackOf(content), 0, at, c.buf)
		c.walk.busy = false
		if r != nil {
			return b, r
		}
		if marks == c.marks {
			break
		}
	}
	sum := ofBytes(c.buf)
	return put64(put64(append(b, markHere), sum.Hi), sum.Lo), nil
}

// content returns the tree of an immutable value.
func (b *builder) content(p *plan, v reflect.Value, path string) *node {
	c := b.w.contents()
	content, r := c.plan(p.typ)
	if r != nil {
		panic("macemc bug: canon refused an immutable value that it had encoded")
	}
	c.walk.relative, c.walk.present = b.w.walk.relative, b.w.walk.present
	inner := &builder{w: c, first: make(map[object]visit), wanted: b.wanted, copied: b.copied}
	return inner.value(content, v, path)
}
