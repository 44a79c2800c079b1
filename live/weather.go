package live

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Weather makes links worse than they are, by faults that it draws. Set may change it while
// nodes run.
type Weather struct {
	mu   sync.Mutex
	rand *rand.Rand
	now  Climate
}

// Climate has the chances, from 0 to 1, of the faults of links, and the delay of messages.
type Climate struct {
	Loss    float64       // a datagram is lost
	Dup     float64       // a datagram comes twice
	Reorder float64       // a datagram comes after later ones
	Reset   float64       // a message breaks its connection
	Delay   time.Duration // the longest time that a message waits before it is sent
}

// NewWeather returns weather that draws faults from a seed. They happen in real time, so a seed
// does not repeat a run.
func NewWeather(seed uint64, c Climate) *Weather {
	return &Weather{rand: rand.New(rand.NewPCG(seed, 0x77656174686572)), now: c}
}

// Set replaces the climate: how often messages are lost, doubled or delayed, and connections reset, from now on.
func (w *Weather) Set(c Climate) {
	w.mu.Lock()
	w.now = c
	w.mu.Unlock()
}

// ParseClimate reads a text such as "loss=0.1,dup=0.05,reorder=0.1,reset=0.01,delay=20ms".
func ParseClimate(text string) (c Climate, err error) {
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		of := map[string]*float64{"loss": &c.Loss, "dup": &c.Dup, "reorder": &c.Reorder, "reset": &c.Reset}[name]
		switch {
		case name == "delay":
			if c.Delay, err = time.ParseDuration(value); err != nil || c.Delay < 0 {
				return c, fmt.Errorf("delay is %q; it must be a time with its unit, such as 20ms", value)
			}
		case of == nil:
			return c, fmt.Errorf("there is no fault %q of links; the names are loss, dup, reorder, reset and delay", name)
		default:
			if *of, err = strconv.ParseFloat(value, 64); err != nil || !(*of >= 0 && *of <= 1) {
				return c, fmt.Errorf("%s is %q; it must be a chance from 0 to 1", name, value)
			}
		}
	}
	return c, nil
}

// String returns the form that ParseClimate reads.
func (c Climate) String() string {
	return fmt.Sprintf("loss=%g,dup=%g,reorder=%g,reset=%g,delay=%s", c.Loss, c.Dup, c.Reorder, c.Reset, c.Delay)
}

// pause waits for the delay before the next write, or until stop is closed.
func (w *Weather) pause(stop <-chan struct{}) {
	d := w.delay()
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-stop:
	}
}

func (w *Weather) delay() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now.Delay <= 0 {
		return 0
	}
	return time.Duration(w.rand.Int64N(int64(w.now.Delay)))
}

// breaks draws whether a message breaks its connection.
func (w *Weather) breaks() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now.Reset > 0 && w.rand.Float64() < w.now.Reset
}

// datagram draws what happens to a datagram. It returns a delay for each copy that is sent;
// there are none if the datagram is lost.
func (w *Weather) datagram() (waits []time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.rand.Float64() < w.now.Loss {
		return nil
	}
	copies := 1
	if w.rand.Float64() < w.now.Dup {
		copies = 2
	}
	for range copies {
		var d time.Duration
		if w.now.Delay > 0 {
			d = time.Duration(w.rand.Int64N(int64(w.now.Delay)))
		}
		if w.rand.Float64() < w.now.Reorder {
			d += time.Millisecond + w.now.Delay
		}
		waits = append(waits, d)
	}
	return waits
}
