package choose

// Record forwards every question to its source, and builds the path of what
// was answered. It alters no answer; a "no" is not recorded.
type Record struct {
	src  Source
	path Path
}

// NewRecord records what src answers.
func NewRecord(src Source) *Record { return &Record{src: src} }

// Answer is that of the source, which is noted.
func (r *Record) Answer(q *Question) int {
	a := r.src.Answer(q)
	if a >= 0 && a < q.N {
		r.path.add(Choice{Kind: q.Kind, Of: q.N, Pick: a, What: what(q, a)})
	}
	return a
}

// add adds an answer at the end.
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

// Err is that of the source.
func (r *Record) Err() error { return r.src.Err() }

// Path is what was recorded so far, with an empty header. It is the record's
// own: it grows with further answers.
func (r *Record) Path() *Path { return &r.path }
