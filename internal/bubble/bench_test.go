package bubble

import (
	"testing"
	"time"
)

// steps runs n instants of a bubble, at each of which two goroutines exchange a value.
func steps(n int) {
	c := make(chan int)
	go func() {
		for range n {
			time.Sleep(time.Millisecond)
			c <- 1
		}
		close(c)
	}()
	for range c {
	}
}

// BenchmarkStep measures an instant of a bubble, without a tape and with one. It needs the
// overlay: build the test with it, as the function build does.
func BenchmarkStep(b *testing.B) {
	if !overlaid {
		b.Skip("built without the overlay")
	}
	b.Run("bare", func(b *testing.B) { macemcRun(func() { steps(b.N) }) })
	b.Run("tape", func(b *testing.B) {
		r := new(Recorder)
		r.Run(Plan{Seed: 1, Rates: even}, func() { steps(b.N) })
	})
}
