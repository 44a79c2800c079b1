package program

import (
	"time"

	"macemc/internal/bubble"
)

// Faults limit how often each fault may happen.
type Faults struct {
	Crashes    int           // the number of crashes of hosts, which may restart
	Partitions int           // the number of partitions between one host and the others
	Resets     int           // the number of resets of all connections between two hosts
	Loss       int           // the number of datagrams that are lost or duplicated
	Clocks     int           // the number of times that a clock jumps or begins to drift
	Skew       time.Duration // the largest jump; 0 means ten seconds
	Drift      int           // the largest drift in millionths; 0 means 10,000
}

// Weather makes faults happen for a time of d, at times and in an order that the search
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
