package program

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"macemc/internal/bubble"
)

// Weather stays within its budget, and leaves a healed network.
func TestWeather(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(40) {
		r := new(bubble.Recorder)
		p := bubble.Plan{Seed: seed + 1}
		p.Rates[bubble.Choice], p.Rates[bubble.Host] = 1<<16, 1<<16
		r.Begin(p)
		world(t, func(t *testing.T, w *World) {
			for _, name := range []string{"a", "b", "c"} {
				w.Start(name, echo)
			}
			w.Wait()
			w.Weather(10*time.Second, Faults{Partitions: 2, Resets: 1})
			c, err := w.Host("a").Dial("tcp", "b:7")
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprint(c, "x")
			if _, err := c.Read(make([]byte, 1)); err != nil {
				t.Error(err)
			}
			c.Close()
			lines, _ := w.Lines()
			text := strings.Join(lines, "\n")
			for _, word := range []string{"partition [", "are reset", "healed"} {
				n := strings.Count(text, word)
				seen[word] += n
				if word == "partition [" && n > 2 || word == "are reset" && n > 1 {
					t.Errorf("%q %d times:\n%s", word, n, text)
				}
			}
			for _, name := range w.Names() {
				w.Stop(name)
			}
		})
		r.End()
	}
	if len(seen) != 3 || seen["partition ["] == 0 || seen["are reset"] == 0 || seen["healed"] == 0 {
		t.Errorf("40 worlds have %v", seen)
	}
}
