package main

// A space describes the states of a search in shards, level by level.
type space struct {
	costs
	workers int     // number of goroutines
	shards  int     // number of shards, divided equally among the goroutines
	states  int     // number of states of a level
	levels  int     // number of levels that are simulated
	visit   float64 // mean time of a state, to judge it and to take its steps
}

const (
	groupStates = 1 << 12 // the least number of states for which an owner appends one record
	groupEach   = 1 << 9  // the same, for each shard of the search
	shardsMost  = 256
)

// spread returns, for one shard and one level, the number of groups, and the numbers of messages
// that each group reads and stores. A group stores a message for each shard to which one of its
// states leads.
func (s *space) spread() (groups, reads, stores int) {
	each, most := max(1, s.states/s.shards), max(groupStates, groupEach*s.shards)
	groups = (each + most - 1) / most
	stores = min(s.shards, max(1, each/groups))
	return groups, max(1, stores*s.shards*groups/s.shards/groups), stores
}

// simulateShards simulates the levels of a space. Each goroutine takes the groups of its shards one
// after another. For each group it reads the messages, visits the states, stores the resulting
// messages, and appends a record. For each record, the coordinator looks at the shards that are not
// done. At the end of a level it reads the last record of every shard, and appends a mark to each.
func simulateShards(s space) outcome {
	m := &simulation{setup: setup{costs: s.costs}}
	groups, reads, stores := s.spread()
	states := float64(s.states) / float64(s.shards) / float64(groups)
	now := 0.0
	for range s.levels {
		left := s.shards * groups
		over := now
		for w := range min(s.workers, s.shards) {
			mine := (s.shards - w + s.workers - 1) / s.workers * groups
			var next func(at float64)
			next = func(at float64) {
				if mine--; mine < 0 {
					return
				}
				m.calls += reads + stores - 2
				m.call(at+float64(reads-1)*2*m.trip, float64(reads)*m.get, func(at float64) {
					m.taking += states * s.visit
					m.call(at+states*s.visit, float64(stores)*m.publish, func(at float64) {
						m.call(at, m.publish, func(at float64) {
							looks := (left + groups - 1) / groups
							left--
							m.calls += looks
							over = max(over, m.coordinator.serve(m.server.serve(at, float64(looks)*m.get), 0))
							next(at)
						})
					})
				})
			}
			m.after(now, next)
		}
		m.drain()
		m.calls += 2 * s.shards
		now = m.server.serve(over, float64(s.shards)*(m.get+m.publish))
	}
	return outcome{
		efficiency: m.taking / (float64(s.workers) * now), server: m.server.busy / now, coordinator: m.coordinator.busy / now,
		calls: float64(m.calls) / now * 1e6, walks: float64(s.states*s.levels) / now * 1e6,
	}
}
