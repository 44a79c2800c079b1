package raft

import (
	"fmt"

	"macemc/examples/raft/core"
)

// wire is a message of raft's as it is on the wire. A message must not change
// once it is sent, and one of raft's does: even looking at its size writes to
// it, and its entries are those of the sender's log. A string cannot.
type wire string

func encode(m core.Message) wire { return wire(m.Encode()) }

func (w wire) decode() (core.Message, error) { return core.Decode(string(w)) }

// String is for people.
func (w wire) String() string {
	m, err := w.decode()
	if err != nil {
		return fmt.Sprintf("%q, which is no message of raft's: %v", string(w), err)
	}
	return m.String()
}
