package raft

import (
	"fmt"

	"macemc/examples/raft/core"
)

// wire is a raft message as it is sent. A message must not change once it is sent, but raft's
// messages do: even computing a message's size writes to it, and it shares its entries with the
// sender's log. A string cannot change.
type wire string

func encode(m core.Message) wire { return wire(m.Encode()) }

func (w wire) decode() (core.Message, error) { return core.Decode(string(w)) }

// String returns the message as reports show it.
func (w wire) String() string {
	m, err := w.decode()
	if err != nil {
		return fmt.Sprintf("%q, which is no message of raft's: %v", string(w), err)
	}
	return m.String()
}
