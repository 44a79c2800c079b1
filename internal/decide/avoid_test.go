package decide

import (
	"math"
	"testing"
)

// transactions is a lab of a service that takes one transaction after another, each of six steps.
// One transaction in seven fails. The present one nearly always fails if its second step is taken.
type transactions struct{ mortal }

func (*transactions) Walk(q Walks) (*Walked, error) {
	avoids := []float64{0.6, 0.6, 0.1, 0.1}[q.From] * math.Pow(6.0/7, float64(q.Steps)/6)
	return &Walked{Taken: q.Count, Success: make([]Success, int(float64(q.Count)*avoids))}, nil
}

// If a service can fail again and again, shorter walks show which step leads to the failure; walks
// of 200 steps hardly ever go on without one, wherever they begin.
func TestRecurringFailures(t *testing.T) {
	const n = 4
	p := New(&transactions{}, &Run{Failed: true, Wild: make([]bool, n), Live: make([]bool, n+1), Events: make([]string, n)}, Options{Walks: 60, WalkSteps: 10_000, MaxWalkSteps: 10_000})
	res, err := p.weigh()
	if err != nil {
		t.Fatal(err)
	}
	if a := res.Avoided; a.Step != 2 || !a.Clear || a.WalkSteps < nearTimes*n || a.WalkSteps >= SurviveSteps {
		t.Errorf("%+v", a)
	}
}
