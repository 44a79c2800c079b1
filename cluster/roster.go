package cluster

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// roster is what the coordinator knows about its workers. Any goroutine may call its methods.
type roster struct {
	mu      sync.Mutex
	members map[string]*member
	rate    float64 // walks per second of one goroutine, averaged over recent spans; 0 if unknown
	tally   tally
}

// tally holds counts since the coordinator began. Its names are those of the status page's JSON.
type tally struct {
	Spans       int   `json:"spans"`       // spans and items whose results were added up
	Walks       int   `json:"walks"`       // walks of these spans
	Lost        int   `json:"lost"`        // spans that were published again
	Redelivered int   `json:"redelivered"` // spans that came to a second worker, or again to the same one
	Gone        int   `json:"gone"`        // workers that came and left
	Quarantined []int `json:"quarantined"` // walks that are not taken any more, since they ended every process that took them
}

// member is a worker whose heartbeats arrive.
type member struct {
	Name       string    `json:"name"`
	Goroutines int       `json:"goroutines"`
	Spans      int       `json:"spans"`
	Walks      int       `json:"walks"`
	Rate       float64   `json:"walks_per_second"` // of all its goroutines, while they take walks
	Heard      time.Time `json:"heard"`            // the last heartbeat

	busy time.Duration // the time that its spans took, of all its goroutines together
}

// came sets the number of goroutines of the worker with this name to n; 0 means that the worker is
// gone. It reports whether the worker is new or gone by that, and returns the number of goroutines
// of all workers.
func (r *roster) came(name string, n int) (changed bool, all int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := 0
	if m := r.members[name]; m != nil {
		before = m.Goroutines
	}
	switch {
	case n == 0 && before > 0:
		delete(r.members, name)
		r.tally.Gone++
	case n > 0 && before == 0:
		if r.members == nil {
			r.members = map[string]*member{}
		}
		r.members[name] = &member{Name: name, Goroutines: n, Heard: time.Now()}
	case n > 0:
		r.members[name].Goroutines, r.members[name].Heard = n, time.Now()
	}
	return before != n, r.sum()
}

func (r *roster) sum() (n int) {
	for _, m := range r.members {
		n += m.Goroutines
	}
	return n
}

// silent returns the workers whose last heartbeat is older than most.
func (r *roster) silent(most time.Duration) (names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, m := range r.members {
		if time.Since(m.Heard) > most {
			names = append(names, name)
		}
	}
	return names
}

// goroutines returns the number of goroutines of all workers.
func (r *roster) goroutines() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sum()
}

// slots returns the names of the goroutines of all workers, in ascending order.
func (r *roster) slots() (names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(r.members)) {
		for k := range r.members[name].Goroutines {
			names = append(names, slotName(name, k))
		}
	}
	return names
}

// pace returns the number of walks that one goroutine takes in a second, or 0 if that is
// unknown.
func (r *roster) pace() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rate
}

// took adds the result of a task to the counts of its worker and to the tally.
func (r *roster) took(res *result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tally.Spans++
	r.tally.Walks += res.Came.Walks
	r.tally.Quarantined = append(r.tally.Quarantined, res.Came.Quarantined...)
	if res.Alone {
		r.tally.Redelivered++
	}
	if s := res.Took.Seconds(); s > 0 && res.Came.Walks > 0 {
		now := float64(res.Came.Walks) / s
		if r.rate == 0 {
			r.rate = now
		}
		r.rate += (now - r.rate) / 8
	}
	if m := r.members[res.Worker]; m != nil {
		m.adds(res)
	}
}

func (m *member) adds(r *result) {
	m.Spans++
	m.Walks += r.Came.Walks
	if m.busy += r.Took; m.busy > 0 {
		m.Rate = float64(m.Walks) / m.busy.Seconds() * float64(m.Goroutines)
	}
}

// lose adds n spans that are published again to the tally.
func (r *roster) lose(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tally.Lost += n
}

// now returns copies of the members, in the order of their names, and of the tally.
func (r *roster) now() (members []member, counts tally) {
	r.mu.Lock()
	defer r.mu.Unlock()
	members = []member{}
	for _, name := range slices.Sorted(maps.Keys(r.members)) {
		members = append(members, *r.members[name])
	}
	counts = r.tally
	counts.Quarantined = append([]int{}, counts.Quarantined...)
	return members, counts
}
