package canon

// Wanted says of a part of a value, at a path, whether its lines are wanted, or
// those of parts below it. fields: there may be fields below, or keys whose text
// may be anything; else all paths below go on with numbers in brackets.
type Wanted func(path string, fields bool) bool

// LinesOf returns of the lines of v at least those that are wanted, as Lines
// does. What is not wanted costs little, unless something else may be told as
// the same object as a part of it.
func (w *Walker) LinesOf(v any, wanted Wanted) []Line {
	n, err := w.treeOf(v, wanted)
	if err != nil {
		return []Line{{Value: unwalkable(err)}}
	}
	if n.shape != shapeLeaf {
		n.name = ""
	}
	return n.lines("", nil)
}

// skippedPart is the leaf of a part that is not wanted. It has no line.
const skippedPart = ""

// below is what may be met below values of a plan.
type below struct {
	objects bool // that other places may refer to
	fields  bool // see Wanted
}

// skips reports whether nobody wants a part, and nothing of it is registered.
// Of a map, the entries are meant.
func (b *builder) skips(p *plan, path string) bool {
	if b.wanted == nil || b.inKey {
		return false
	}
	under := b.under(p)
	if p.op == opMap {
		under = b.under(p.elem)
		under.fields = under.fields || !numbered(b.w, p.key)
	}
	return !under.objects && !b.wanted(path, under.fields)
}

// under is what may be met in values of a plan.
func (b *builder) under(p *plan) below {
	if u, known := b.below[p]; known {
		return u
	}
	if b.below == nil {
		b.below = map[*plan]below{}
	}
	b.below[p] = below{objects: true, fields: true} // of a type that contains itself
	u := below{objects: p.pointed}
	add := func(of below) { u.objects, u.fields = u.objects || of.objects, u.fields || of.fields }
	switch p.op {
	case opBool, opInt, opUint, opFloat32, opFloat64, opComplex64, opComplex128, opString, opTime, opMutex, opContent, opOmit:
	case opBytes, opSlice, opArray, opAtomic:
		add(b.under(p.elem))
	case opStruct:
		u.fields = true
		for _, f := range p.fields {
			add(b.under(f.plan))
		}
	default:
		u = below{objects: true, fields: true}
	}
	b.below[p] = u
	return u
}

// wants ends a stay in a part of which all is wanted.
func (b *builder) wants(wanted Wanted) { b.wanted = wanted }

// tells reports whether different keys of a plan have different labels. Where
// some may not (NaN), entries are ordered by their whole text.
func (b *builder) tells(p *plan) bool {
	return p.op == opBool || p.op == opInt || p.op == opUint || p.op == opString || b.w.named[p.typ]
}

// numbered reports whether keys of a plan are told as numbers.
func numbered(w *Walker, p *plan) bool {
	return (p.op == opInt || p.op == opUint || p.op == opBool) && !w.named[p.typ]
}
