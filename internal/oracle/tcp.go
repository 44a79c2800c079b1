package oracle

import "slices"

// The rules of TCP, from the transcripts of netsim, by one end of a connection: the state
// that a node keeps about a peer. The third flag of those transcripts, that the peer has an
// error queued for this end, is the peer's Error.
type end struct {
	Open  bool  // a message was delivered, in one direction or the other
	Error bool  // an error is queued for the peer, ahead of everything else
	Asked bool  // the node wants to hear of room
	Queue []int // messages to the peer
}

func (e end) clone() end {
	e.Queue = slices.Clone(e.Queue)
	return e
}

func (e *end) queue(v int) { e.Queue = append(e.Queue, v) }

// take removes the oldest message.
func (e *end) take() (v int) {
	v, e.Queue = e.Queue[0], e.Queue[1:]
	return v
}

func (e *end) open() { e.Open = true }

// drop loses the queued messages.
func (e *end) drop() { e.Queue = nil }

func (e *end) tear() { e.Error = true }

// void takes the error back that is queued for the peer.
func (e *end) void() { e.Error = false }

// shut closes the end. Its queued messages are lost.
func (e *end) shut() { e.Open, e.Queue = false, nil }

// ask and asked begin and end the wait for room.
func (e *end) ask() { e.Asked = true }

func (e *end) asked() { e.Asked = false }

// deliverable: nothing is delivered either way while an error has yet to be heard
// of.
func (s *state) deliverable(from, to int) bool {
	return len(s.TCP[from][to].Queue) > 0 && !s.TCP[from][to].Error && !s.TCP[to][from].Error
}

// pop takes the oldest message. The first one opens the connection, at both ends;
// a node's messages to itself need none.
func (s *state) pop(from, to int) int {
	if from != to {
		s.TCP[from][to].open()
		s.TCP[to][from].open()
	}
	return s.TCP[from][to].take()
}

// breakable: open at both ends, and no error about it under way.
func (s *state) breakable(a, b int) bool {
	return a != b && s.TCP[a][b].Open && s.TCP[b][a].Open && !s.TCP[a][b].Error && !s.TCP[b][a].Error
}

// tear breaks a connection: both have yet to hear.
func (s *state) tear(a, b int) {
	s.TCP[a][b].tear()
	s.TCP[b][a].tear()
}

// hear: a node receives the error that its peer's end has queued. It closes its end, and
// its queued messages are lost.
func (s *state) hear(node, peer int) {
	s.TCP[peer][node].void()
	s.TCP[node][peer].shut()
}

// close is a reset by one end. Its queued messages are lost, and it no longer waits for
// room. An error under way to it is void. Otherwise the peer will receive one, if the
// connection was open.
func (s *state) close(node, peer int) {
	e := &s.TCP[node][peer]
	e.drop()
	e.asked()
	if node == peer {
		return
	}
	switch {
	case s.TCP[peer][node].Error:
		s.TCP[peer][node].void()
	case e.Open:
		e.tear()
	}
	e.shut()
}
