package judge

// CoverState counts, for coverage, which liveness properties hold in the present state, at a depth of the
// search. Unlike Live, which stops at the first property that does not hold, it evaluates all, except those
// that were already seen both to hold and not to hold.
func (j *Judge) CoverState(depth int) {
	if j.cover == nil {
		return
	}
	j.meet()
	for k := range j.eventually {
		if !j.cover.Known(k) {
			j.cover.Visited(k, depth, j.ask(&j.eventually[k]))
		}
	}
}

// meet counts which Sometimes properties hold now: the states that a search should meet. It skips those that
// were met before.
func (j *Judge) meet() {
	for k := range j.sometimes {
		if j.cover.Met(k) {
			continue
		}
		j.cover.Meets(k, j.ask(&j.sometimes[k]))
		if far, ok := j.sometimes[k].Away(); ok {
			j.cover.Away(k, far)
		}
	}
}

// Scenarios reports which of the first 64 Sometimes properties hold now. Bit k is set if the k-th one does.
func (j *Judge) Scenarios() (bits uint64) {
	for k := range min(len(j.sometimes), 64) {
		if j.ask(&j.sometimes[k]) {
			bits |= 1 << k
		}
	}
	return bits
}

// CoverRun counts, for coverage, which liveness properties hold in the present state, after a number of
// steps of a run.
func (j *Judge) CoverRun(steps int) {
	if j.cover == nil {
		return
	}
	j.meet()
	for k := range j.eventually {
		j.cover.Live(k, steps, j.ask(&j.eventually[k]), false)
	}
}

// Uncovered stops the counting of coverage until undo is called.
func (j *Judge) Uncovered() (undo func()) {
	cover := j.cover
	j.cover = nil
	return func() { j.cover = cover }
}
