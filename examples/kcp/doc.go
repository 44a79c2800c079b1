// Package kcp checks KCP, a reliable connection over datagrams:
// github.com/xtaci/kcp-go/v5, as it was published, under a driver of its own. It is a
// module of its own, as a user's would be.
//
// # The story
//
// Two ends have a connection. The first writes messages, or both do; the driver hands
// packets to KCP, has its clock go on by a timer, and wakes the application, which reads
// one message at a time and when it gets round to it. So windows close, KCP asks
// whether they are open again, and the answer may be lost, like all else.
//
// KCP has no handshake: a connection is there when both ends know its number. With
// --param pattern=reconnect the first end opens another one when all is acknowledged,
// with a higher number, and the other follows it.
//
// # How a core fits that reads the clock of the process
//
//   - Clock: package core stops it, and moves the instants back with which it is
//     compared. So time goes by in steps, and the state does not say how late it is.
//   - Functions: KCP sends by a function that it keeps. It is lent to it for each call
//     and taken back. Nodes are plain values then, are copied and compared, and every
//     engine takes them.
//   - Round trips: with --param roundtrips=timed they take as long as they do, and timeouts
//     follow. By default all take no time: the space is finite then.
//   - Packets: a string, in which a person can read what is sent.
//   - Sizes: a packet has room for one segment with data, and the network for two packets
//     in each direction; more are lost.
//   - Numbers: --param wrap=2 begins with the last but one of 32 bits. A connection that was
//     there for so long would be far beyond any search.
//
// # What is promised
//
// What is read is what was written, once and in its order. No more segments are under way
// than the window, and no more wait to be read. What is acknowledged has come. From every
// state, when the faults end, a state can be reached in which all is read and acknowledged.
//
// It tolerates losses, doubles, reordering, partitions and pauses, and no crashes: KCP has no
// handshake by which an end that lost its memory could learn the numbers, and the property
// "what is acknowledged has come", which compares both ends, panics.
//
// # How to search it
//
//	go run ./check search kcp --bug KC7 --faults loss=1
//	go run ./check search kcp --param messages=2 --param receive=1 --faults none --depth 500
//
// The second visits every state there is, half a million, and finds that from each all can
// be read and acknowledged.
//
// # Known limits
//
//   - What needs more segments than the window of the receiver never arrives, with this
//     library: --param parts=3 finds it. In C the sender refuses it.
//   - Streams, forward error correction and sessions are not used.
package kcp
