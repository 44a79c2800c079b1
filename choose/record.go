package choose

// Record passes every question to its source and builds the path of the answers. It changes
// no answer. A "no" is not recorded.
type Record struct {
	src  Source
	path Path
}

// NewRecord returns a Record of the answers of src.
func NewRecord(src Source) *Record { return &Record{src: src} }

// Answer returns the answer of the source and records it.
func (r *Record) Answer(q *Question) int {
	a := r.src.Answer(q)
	if a >= 0 && a < q.N {
		r.path.add(Choice{Kind: q.Kind, Of: q.N, Pick: a, What: what(q, a)})
	}
	return a
}

// add appends an answer to the path.
func (p *Path) add(c Choice) {
	switch c.Kind {
	case Event:
		p.Steps = append(p.Steps, Step{Event: c})
	case Coin:
		if n := len(p.Steps); n > 0 {
			p.Steps[n-1].Coins = append(p.Steps[n-1].Coins, c)
		} else {
			p.Start = append(p.Start, c)
		}
	default:
		panic("macemc bug: question of " + c.Kind.String())
	}
}

// Err returns the error of the source.
func (r *Record) Err() error { return r.src.Err() }

// Path returns what was recorded so far, with an empty header. It is not a copy: it grows
// with further answers.
func (r *Record) Path() *Path { return &r.path }
