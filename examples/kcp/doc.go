// Package kcp checks KCP, a reliable connection over datagrams: github.com/xtaci/kcp-go/v5, as it
// was published, under a driver of its own. It is a module of its own, as a user's would be.
//
// # The story
//
// Two ends have a connection. The first one writes messages, or both do. The driver passes packets
// to KCP, advances its clock by a timer, and wakes the application, which reads one message at a
// time, at any later time. So windows close. KCP then asks whether they are open again, and the
// answer may be lost, as any packet may.
//
// KCP has no handshake: a connection exists when both ends know its number. With --param
// pattern=reconnect the first end opens another connection, with a higher number, when everything is
// acknowledged, and the other end follows.
//
// # How to check a core that reads the clock of the process
//
//   - Clock: package core stops it, and moves back the instants with which it is compared. So
//     time passes in steps, and the state does not contain how late it is.
//   - Functions: KCP keeps the function by which it sends. Package core sets it for each call
//     and clears it afterwards. So nodes are plain values, which can be copied and compared, and
//     every engine can be used.
//   - Round trips: with --param roundtrips=timed they take their real time, and timeouts adapt.
//     By default they take no time, and the space is finite.
//   - Packets: each is a string, which people can read.
//   - Sizes: a packet has room for one segment with data, and the network for two packets in
//     each direction. Further packets are lost.
//   - Numbers: --param wrap=2 begins with the last but one number of 32 bits. No search could
//     reach that number from the beginning of a connection.
//
// # What is promised
//
// The messages that are read are those that were written, each once and in order. The number of
// segments under way, and of segments that wait to be read, never exceeds the window. An
// acknowledged segment has arrived. From every state, once the faults end, a state can be reached in
// which everything is read and acknowledged.
//
// The system tolerates losses, duplicates, reordering, partitions and pauses, but no crashes: KCP
// has no handshake by which an end that has lost its memory could learn the numbers. After a crash,
// the property that compares both ends panics.
//
// # How to search it
//
//	go run ./check search kcp --bug KC7 --faults loss=1
//	go run ./check search kcp --param messages=2 --param receive=1 --faults none --depth 500
//
// The second command visits all states, half a million, and finds that from each of them everything
// can be read and acknowledged.
//
// # Known limits
//
//   - A message that needs more segments than the receiver's window never arrives with this
//     library: --param parts=3 shows it. In C the sender refuses such a message.
//   - Streams, forward error correction and sessions are not used.
package kcp
