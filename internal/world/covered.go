package world

// lively records whether a liveness property holds, and after how many steps of the run, if that is
// known.
func (j *Judge) lively(k int, holds bool) {
	steps := j.run.step
	if j.run.lost {
		steps = -1
	}
	j.cover.Live(k, steps, holds, holds && j.environ.gone > 0 && j.eventually[k].Seen() == 0)
}

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

// CoverRun looks at all liveness properties where a run is now.
func (j *Judge) CoverRun() {
	if j.cover == nil {
		return
	}
	j.meet()
	for k := range j.eventually {
		j.cover.Live(k, j.run.step, j.ask(&j.eventually[k]), false)
	}
}
