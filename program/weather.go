package program

import (
	"time"

	"macemc/internal/bubble"
)

// Faults limit how often each fault may happen.
type Faults struct {
	Crashes    int           // of a host, which may restart
	Partitions int           // of one host from the others
	Resets     int           // of the connections of two hosts
	Loss       int           // datagrams that are lost or doubled
	Clocks     int           // that jump or begin to drift, by at most
	Skew       time.Duration // this; 0 means ten seconds
	Drift      int           // or this of a million; 0 means 10,000
}

// Weather makes faults happen for a while, at times and in an order that the search
// chooses. Before it returns, it heals the network and restarts every crashed host. It
// blocks the caller, so start the clients before calling it.
func (w *World) Weather(d time.Duration, f Faults) {
	w.Loss(f.Loss)
	storm := &f
	end := time.Now().Add(d)
	for time.Now().Before(end) {
		time.Sleep(d * time.Duration(1+w.Choose(16)) / 32)
		storm.strike(w)
	}
	w.Loss(0)
	w.Heal()
	for _, name := range w.Names() {
		w.RightClock(name)
		if h := w.Host(name); h.life != nil && h.life.over {
			w.Restart(name)
		}
	}
}

// strike causes one fault that is in the budget, if the search chooses one.
func (f *Faults) strike(w *World) {
	names := w.Names()
	host := func() string { return names[w.Choose(len(names))] }
	kinds := 6
	if f.Clocks > 0 {
		kinds++
	}
	switch w.Choose(kinds) {
	case 1:
		if name := host(); f.Crashes > 0 && w.Host(name).Running() && bubble.Exact() == nil {
			f.Crashes--
			w.Crash(name)
		}
	case 2:
		if name := host(); w.Host(name).life != nil && w.Host(name).life.over {
			w.Restart(name)
		}
	case 3:
		if f.Partitions > 0 {
			f.Partitions--
			w.Partition(nil, []string{host()})
		}
	case 4:
		w.Heal()
	case 5:
		if a, b := host(), host(); f.Resets > 0 && a != b {
			f.Resets--
			w.Reset(a, b)
		}
	case 6:
		if bubble.Exact() == nil {
			f.Clocks--
			w.Unclock(host(), f.Skew, f.Drift)
		}
	}
}
