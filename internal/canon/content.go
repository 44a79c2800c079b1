package canon

import (
	"reflect"
	"unsafe"
)

// An immutable value counts by its content. It is walked by a separate Walker, which
// ignores identity: which of several equal objects a value leads to may depend on the order
// of a map, and no behaviour may depend on that.

// content makes p the plan of an immutable type, or of a pointer to one.
func (p *plan) content() { *p = plan{typ: p.typ, op: opContent, plain: true} }

// contents returns a second Walker, which walks only the immutable values that w meets
// inside other values. The first call makes it.
func (w *Walker) contents() *Walker {
	if w.content == nil {
		w.content = walkerOf(omissions{rules: w.rules, skip: w.skip}).counting(w)
	}
	return w.content
}

// counting makes c, a new Walker, walk immutable values in the way that w does: it gives c
// the options of w, and makes c ignore which pointers lead to the same object. It returns
// c.
func (c *Walker) counting(w *Walker) *Walker {
	c.named, c.through, c.equal = w.named, w.through, true
	return c
}

// encodeContent appends to b the hash of the immutable value at an address. p is the plan
// of the value.
func (w *Walker) encodeContent(p *plan, at unsafe.Pointer, b []byte) ([]byte, *refusal) {
	if p.typ.Kind() == reflect.Pointer && *(*unsafe.Pointer)(at) == nil {
		return append(b, markNil), nil
	}
	sum, r := w.sumOfContent(p, at)
	return put64(put64(append(b, markHere), sum.Hi), sum.Lo), r
}

func (w *Walker) sumOfContent(p *plan, at unsafe.Pointer) (Hash, *refusal) {
	c := w.contents()
	content, r := c.plan(p.typ)
	if r != nil {
		return Hash{}, r
	}
	for {
		marks := c.marks
		c.begin()
		c.walk.enter(w.walk.walkFlags)
		c.buf, r = c.encode(c.trackOf(content), 0, at, c.buf)
		c.walk.end()
		if r != nil || marks == c.marks {
			return ofBytes(c.buf), r
		}
	}
}

// textsMost is the largest number of immutable values whose texts are kept.
const textsMost = 1 << 12

// content returns the tree of an immutable value. It keeps the text, since such a value is
// met many times.
func (b *builder) content(p *plan, v reflect.Value) *node {
	if nilable(v) && v.IsNil() {
		return leaf("nil")
	}
	sum, r := b.w.sumOfContent(p, addr(v))
	if r != nil {
		panic("macemc bug: canon refused an immutable value that it had encoded")
	}
	sum = sum.Mix(OfString(fullName(p.typ)).Lo)
	c := b.w.contents()
	if text, known := c.texts[sum]; known {
		return leaf(text)
	}
	content, _ := c.plan(p.typ)
	inner := &builder{w: c, first: make(map[object]visit), copied: b.copied}
	text := inner.value(content, v, "").text()
	c.keep(sum, text)
	return leaf(text)
}

// keep remembers the text of the immutable value whose hash is sum.
func (w *Walker) keep(sum Hash, text string) {
	if w.texts == nil || len(w.texts) == textsMost {
		w.texts = make(map[Hash]string)
	}
	w.texts[sum] = text
}
