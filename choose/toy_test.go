package choose

import (
	"fmt"
	"strings"
	"testing"
)

// question makes a question with the given alternatives.
func question(kind Kind, why string, ids ...string) *Question {
	return &Question{Kind: kind, N: len(ids), Alternatives: written{why, ids}}
}

type written struct {
	why string
	ids []string
}

func (w written) Why() string              { return w.why }
func (w written) Alternative(i int) string { return w.ids[i] }

// toy is a service that asks the same questions whatever the answers are. In
// transcripts it is written as lines like these:
//
//	event: a, b
//	coin which way: left, right
type toy []*Question

func parseToy(t *testing.T, text string) toy {
	t.Helper()
	var service toy
	for line := range strings.Lines(text) {
		head, ids, ok := strings.Cut(strings.TrimSpace(line), ": ")
		word, why, _ := strings.Cut(head, " ")
		kinds := map[string]Kind{"event": Event, "coin": Coin}
		if !ok || kinds[word] == 0 {
			t.Fatalf("%q is not a question of a toy service", line)
		}
		service = append(service, question(kinds[word], why, strings.Split(ids, ", ")...))
	}
	return service
}

// run asks src all questions and returns the answers, up to the first "no".
func (s toy) run(src Source) string {
	var b strings.Builder
	for _, q := range s {
		a := src.Answer(q)
		if a < 0 || a >= q.N {
			fmt.Fprintf(&b, "no: %v\n", src.Err())
			return b.String()
		}
		fmt.Fprintf(&b, "%v %d: %s\n", q.Kind, a, what(q, a))
	}
	return b.String()
}
