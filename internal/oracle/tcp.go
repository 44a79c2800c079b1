package oracle

import "slices"

// end is the state that a node keeps about its connection with a peer. The rules of TCP are
// those of the transcripts of netsim. The transcripts have a third flag, that the peer has
// an error queued for this end; here that is the flag Error of the peer's end.
type end struct {
	Open  bool  // a message was delivered on the connection, in either direction
	Error bool  // an error is queued for the peer, ahead of everything else
	Asked bool  // the node waits for room
	Queue []int // messages to the peer
}

func (e end) clone() end {
	e.Queue = slices.Clone(e.Queue)
	return e
}

func (e *end) queue(v int) { e.Queue = append(e.Queue, v) }

// take removes the oldest message, and returns it.
func (e *end) take() (v int) {
	v, e.Queue = e.Queue[0], e.Queue[1:]
	return v
}

func (e *end) open() { e.Open = true }

// drop removes the queued messages.
func (e *end) drop() { e.Queue = nil }

func (e *end) tear() { e.Error = true }

// void removes the error that is queued for the peer, so that the peer will not get it.
func (e *end) void() { e.Error = false }

// shut closes the end. Its queued messages are lost.
func (e *end) shut() { e.Open, e.Queue = false, nil }

// ask makes the node wait for room, and the method asked ends the wait.
func (e *end) ask() { e.Asked = true }

func (e *end) asked() { e.Asked = false }

// deliverable reports whether the connection of two nodes can deliver a message from one to
// the other. While an error is under way to one end, nothing is delivered in either
// direction.
func (s *state) deliverable(from, to int) bool {
	return len(s.TCP[from][to].Queue) > 0 && !s.TCP[from][to].Error && !s.TCP[to][from].Error
}

// pop removes and returns the oldest message from one node to another. The first message
// opens the connection at both ends. A node's messages to itself need no connection.
func (s *state) pop(from, to int) int {
	if from != to {
		s.TCP[from][to].open()
		s.TCP[to][from].open()
	}
	return s.TCP[from][to].take()
}

// breakable reports whether the connection of two nodes is open at both ends, and no error about it is under
// way.
func (s *state) breakable(a, b int) bool {
	return a != b && s.TCP[a][b].Open && s.TCP[b][a].Open && !s.TCP[a][b].Error && !s.TCP[b][a].Error
}

// tear breaks a connection. Neither end has received the error yet.
func (s *state) tear(a, b int) {
	s.TCP[a][b].tear()
	s.TCP[b][a].tear()
}

// hear makes a node receive the error that its peer has queued. The node closes its end,
// and its queued messages are lost.
func (s *state) hear(node, peer int) {
	s.TCP[peer][node].void()
	s.TCP[node][peer].shut()
}

// close resets the connection at one end. That end loses its queued messages and no longer
// waits for room, and an error that is under way to it is dropped. If there was none and
// the connection was open, the peer will get an error.
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
