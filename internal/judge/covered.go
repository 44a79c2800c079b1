package judge

// CoverState looks at the liveness properties of a state that is visited, which
// is at a depth: each for itself, while Live stops at the first that does not
// hold. Those that were seen to hold and not to hold are left alone.
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

// meet looks for the states that the search should meet, until it has.
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

// Scenarios returns which of the first 64 Sometimes properties hold now, a bit for each.
func (j *Judge) Scenarios() (bits uint64) {
	for k := range min(len(j.sometimes), 64) {
		if j.ask(&j.sometimes[k]) {
			bits |= 1 << k
		}
	}
	return bits
}

// CoverRun looks at all liveness properties after a number of steps of a run.
func (j *Judge) CoverRun(steps int) {
	if j.cover == nil {
		return
	}
	j.meet()
	for k := range j.eventually {
		j.cover.Live(k, steps, j.ask(&j.eventually[k]), false)
	}
}

// Uncovered makes nothing count until it is undone.
func (j *Judge) Uncovered() (undo func()) {
	cover := j.cover
	j.cover = nil
	return func() { j.cover = cover }
}
