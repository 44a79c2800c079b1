// Package simtcp exercises the simulated TCP and nothing else: every node sends
// numbered messages to every other, through connections that break, nodes that
// crash and buffers that are full.
//
// # The story
//
// A node sends each peer the messages 0, 1, 2, ... as fast as the buffer takes
// them: where Send refuses, it asks for a ClearToSend and goes on from there.
// When a connection breaks, what was under way may be lost, so it begins again
// with message 0, under a count of errors that is one higher. When a connection
// is refused nothing of it was delivered: it begins again, under the same count,
// after a while.
//
// Each message carries the sender's incarnation and that count. A receiver that
// meets a higher incarnation, or a higher count of the same one, expects message
// 0; otherwise the message must be the one that it expects. That is what is
// asserted: a connection delivers in order, without a gap and nothing twice, and
// nothing of a connection arrives after its end was heard of.
//
// # Where an incarnation comes from
//
// A node that crashed remembers nothing, and one that began again under its old
// incarnation would be taken for a liar. The incarnation is on disk, so to say:
// System.Crash carries it over and adds one.
//
// # The known bugs
//
// ST1, ST2 and ST3 are not in this service but in the transport below it: the
// three bugs of the original's simulated TCP. System.Network switches them on.
// They show as flags that do not fit at the two ends of a connection.
//
// # Known limits
//
//   - While a peer is away or cut off, refusals and retries take turns for ever:
//     the space is finite, the runs are not.
//   - That nothing more is heard of a connection after its error is seen only by
//     what arrives: an error too many is harmless here.
package simtcp
