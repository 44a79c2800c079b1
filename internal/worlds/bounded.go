package worlds

import (
	"maps"
	"slices"
	"sync"

	"macemc/internal/bubble"
)

// bounded takes, which means runs, all worlds with at most s.Deviate deviations, each of them once.
// A world deviates at a draw, a question that Go's runtime, a simulated host or the script asks, if
// the answer is another one than the usual 0. First come the worlds that deviate once: at each
// draw, with each other answer. Then come those with one more, later deviation, and so on. Of the
// other answers to a draw of 64 bits only two are tried.
func (s *Search) bounded() (f *Finding, taken int, err error) {
	world, failure, err := s.lot(0, 1, 1)
	if err != nil {
		return nil, 0, err
	}
	if failure != nil {
		f, err := s.finding(world, *failure)
		return f, 1, err
	}
	taken, s.Whole = 1, 0
	bases := [][]bubble.Draw{nil}
	for n := 1; n <= s.Deviate; n++ {
		var next [][]bubble.Draw
		for _, base := range bases {
			f, all, err := s.beyond(base, &taken)
			if f != nil || err != nil {
				return f, taken, err
			}
			if all == nil {
				return nil, taken, nil
			}
			for _, k := range slices.Sorted(maps.Keys(all)) {
				if n < s.Deviate {
					next = append(next, append(slices.Clone(base), all[k]))
				}
			}
		}
		bases, s.Whole = next, n
	}
	return nil, taken, nil
}

// beyond takes the worlds that have the deviations in base and one more. If one fails, it returns
// the finding. Otherwise all has, by the number of the world, the draw at which the world deviates
// once more. all is nil if the search had to stop before it had taken all of these worlds.
func (s *Search) beyond(base []bubble.Draw, taken *int) (f *Finding, all map[int]bubble.Draw, err error) {
	t := &tape{of: s.Of, test: s.Test, toolchain: toolchain(), overlay: s.binary.overlay.Hash, seed: s.Seed, draws: base}
	file, done, err := s.spool(t)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	workers := max(1, s.Workers)
	all = map[int]bubble.Draw{}
	for from, many := 0, 1; from < many; {
		room := min(lotMost*workers, s.Worlds-*taken)
		if room <= 0 || s.Stop != nil && s.Stop() {
			return nil, nil, nil
		}
		if s.Progress != nil {
			s.Progress(*taken)
		}
		results, errs := make([]result, workers), make([]error, workers)
		var running sync.WaitGroup
		for i := range workers {
			running.Go(func() { results[i], errs[i] = s.further(file, from+i, from+room, workers) })
		}
		running.Wait()
		var failed *result
		for i := range results {
			if errs[i] != nil {
				return nil, nil, errs[i]
			}
			maps.Copy(all, results[i].further)
			many = max(many, results[i].many)
			if r := &results[i]; r.failure != nil && (failed == nil || r.world < failed.world) {
				failed = r
			}
		}
		if failed != nil {
			at := *taken + failed.world - from
			*taken = at + 1
			t = t.with(append(slices.Clone(base), all[failed.world]))
			f, err := s.tell(t, Finding{World: at, Failure: *failed.failure, Tape: s.Keep, First: len(t.draws)})
			return f, nil, err
		}
		*taken += min(room, many-from)
		from += room
	}
	return nil, all, nil
}

// further takes worlds that follow the tape in a file and then deviate once more. It takes every stride-th of
// those with numbers in [from, to), in one child process after another.
func (s *Search) further(tape string, from, to, stride int) (r result, err error) {
	all := map[int]bubble.Draw{}
	for {
		r, err = s.run(job{Tape: tape, Next: true, From: from, To: to, Stride: stride})
		maps.Copy(all, r.further)
		if err != nil || r.failure != nil || r.next == 0 || r.next >= to {
			r.further = all
			return r, err
		}
		from = r.next
	}
}
