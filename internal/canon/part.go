package canon

// Wanted reports whether a caller wants the lines of the part of a value at a path, or of parts below it.
// If fields is true, paths below may continue with field names or keys of any text; otherwise they
// continue only with numbers in brackets.
type Wanted func(path string, fields bool) bool

// LinesOf returns those lines of v that are wanted, and perhaps others, in the form of Lines. Parts that
// are not wanted cost little, unless a wanted part may refer to an object in them.
func (w *Walker) LinesOf(v any, wanted Wanted) []Line {
	return linesOf(w.treeOf(v, wanted, false))
}

// Read returns the lines of v in a form for people: an integer whose type has a String method is shown by
// it, and a struct that only wraps a value is shown as that value (see Options.Through).
func (w *Walker) Read(v any) []Line { return linesOf(w.treeOf(v, nil, true)) }

func linesOf(n *node, err error) []Line {
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

// below says whether values of one plan may contain certain things, at any depth.
type below struct {
	objects bool // objects to which texts of other places may refer
	fields  bool // see Wanted
}

// skips reports whether the walk need not enter the value of plan p at a path: it is not wanted, and has
// no object that must be registered. For a map, the answer is about its entries.
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

// under returns the things that values of plan p may contain, at any depth. It computes them at the first
// call.
func (b *builder) under(p *plan) below {
	if u, known := b.below[p]; known {
		return u
	}
	if b.below == nil {
		b.below = map[*plan]below{}
	}
	b.below[p] = below{objects: true, fields: true} // this is corrected below; a type that contains itself meets it
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

// wants sets the filter b.wanted. It restores the filter after a part that was walked without one, because the
// whole part is wanted.
func (b *builder) wants(wanted Wanted) { b.wanted = wanted }

// distinct reports whether different keys of plan p always have different labels in texts. It returns false if
// two keys may have one label, as NaNs do; the entries of the map must then be ordered by their whole text.
func (b *builder) distinct(p *plan) bool {
	return p.op == opBool || p.op == opInt || p.op == opUint || p.op == opString || b.w.named[p.typ]
}

// numbered reports whether paths show keys of plan p as numbers.
func numbered(w *Walker, p *plan) bool {
	return (p.op == opInt || p.op == opUint || p.op == opBool) && !w.named[p.typ]
}
