package walk

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"

	"macemc/choose"
)

// Kept is a corpus in a form that can be encoded.
type Kept struct {
	Seen   []uint64
	States []KeptState
}

// KeptState is a state of a corpus: the answers that lead to it, packed into bytes, the number of
// steps from the start of the run to it, and how many walks began there.
type KeptState struct {
	Answers       []byte
	Depth, Chosen int
}

// Noted is Notes in a form that can be encoded.
type Noted struct {
	Answers []byte
	Met     []NotedState
}

// NotedState is a note, a state that was new to the corpus, in a form that can be encoded.
type NotedState struct {
	Sum            uint64
	Depth, Answers int
}

// Kept returns the contents of the corpus, or nil if there is no corpus.
func (c *Corpus) Kept() *Kept {
	if c == nil {
		return nil
	}
	var states []KeptState
	for _, s := range c.kept {
		states = append(states, KeptState{pack(s.answers), s.depth, s.chosen})
	}
	return &Kept{slices.Sorted(maps.Keys(c.seen)), states}
}

// Corpus returns a corpus with the contents k, or nil if k is nil.
func (k *Kept) Corpus() (*Corpus, error) {
	if k == nil {
		return nil, nil
	}
	seen := map[uint64]bool{}
	for _, sum := range k.Seen {
		seen[sum] = true
	}
	var states []kept
	for _, s := range k.States {
		answers, err := unpack(s.Answers)
		if err != nil {
			return nil, err
		}
		states = append(states, kept{answers, s.Depth, s.Chosen})
	}
	return &Corpus{seen, states}, nil
}

// Noted returns n in a form that can be encoded.
func (n *Notes) Noted() Noted {
	var met []NotedState
	for _, m := range n.met {
		met = append(met, NotedState{m.sum, m.depth, m.answers})
	}
	return Noted{pack(n.answers), met}
}

// Notes returns the notes that n was made from.
func (n Noted) Notes() (*Notes, error) {
	answers, err := unpack(n.Answers)
	if err != nil {
		return nil, err
	}
	var met []note
	for _, m := range n.Met {
		if m.Answers < 0 || m.Answers > len(answers) {
			return nil, errPacked
		}
		met = append(met, note{m.Sum, m.Depth, m.Answers})
	}
	return &Notes{answers, met}, nil
}

var errPacked = errors.New("the encoded states of a walk are damaged")

func pack(answers []choose.Pick) (b []byte) {
	for _, p := range answers {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(p.Of)), uint64(p.Pick))
	}
	return b
}

func unpack(b []byte) (answers []choose.Pick, err error) {
	for len(b) > 0 {
		of, n := binary.Uvarint(b)
		if n <= 0 || of > 1<<32-1 {
			return nil, errPacked
		}
		pick, m := binary.Uvarint(b[n:])
		if m <= 0 || pick > 1<<32-1 {
			return nil, errPacked
		}
		answers, b = append(answers, choose.Pick{Of: uint32(of), Pick: uint32(pick)}), b[n+m:]
	}
	return answers, nil
}
