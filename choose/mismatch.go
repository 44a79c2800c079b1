package choose

import "fmt"

// A Mismatch reports that a repeated run asked another question than the recorded run, or none.
// Either the service is not deterministic, or the caller repeats a different run.
type Mismatch struct {
	Position   int  // the index of the choice, from 0
	Recorded   Kind // 0 if the kind was not recorded
	RecordedOf int
	Asked      Kind // 0 if the run ended before it asked
	Of         int
}

func (m *Mismatch) Error() string {
	const hint = "a node may range over a map, or keep state outside itself"
	recorded := "question"
	if m.Recorded != 0 {
		recorded = m.Recorded.String()
	}
	if m.Asked == 0 {
		return fmt.Sprintf("run diverged at choice %d: %s of %d was asked before, now the run ended; %s",
			m.Position+1, recorded, m.RecordedOf, hint)
	}
	return fmt.Sprintf("run diverged at choice %d: %s of %d was asked before, now %v of %d; %s",
		m.Position+1, recorded, m.RecordedOf, m.Asked, m.Of, hint)
}
