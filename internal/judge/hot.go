package judge

import (
	"fmt"

	"macemc/internal/guard"
)

// Cools returns the names of the checked properties that sim.Cools has made. Such a property has a monitor,
// which is hot while it waits for something.
func (j *Judge) Cools() (names []string) {
	for _, m := range j.cools {
		names = append(names, j.monitors[m].Name)
	}
	return names
}

// Hot reports whether the monitor of the k-th property that Cools lists is hot now. In a state that does not
// count for liveness, no monitor is hot.
func (j *Judge) Hot(k int) bool {
	j.telling = &j.monitors[j.cools[k]]
	hot := j.telling.Hot()
	j.telling = nil
	return hot && j.Assumed()
}

// Awaits returns what the monitor of the k-th property that Cools lists waits for. It is "" if the property
// does not explain that.
func (j *Judge) Awaits(k int) (text string) {
	m := &j.monitors[j.cools[k]]
	if m.Explain == nil {
		return ""
	}
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprintf("(its explanation panics: %s)", guard.Text(r))
		}
	}()
	return guard.Bounded(m.Explain())
}
