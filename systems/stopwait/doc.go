// Package stopwait is two layers: a reliable link that sends one message at a
// time, and above it a service that counts. Neither knows the type of the
// other.
//
// # The story
//
// Layer stands below any node. It queues the messages that the upper node sends by env.TCP(),
// for each peer apart, numbers them, and sends them as data over UDP: only the first of the
// queue, again and again whenever a timer fires, until its ack comes; then the next. The
// receiver acks a message, hands it up once, and acks duplicates again. All else (UDP, messages
// and signals of other types) passes through the layer unchanged.
//
// The counter above sends each peer the numbers 1, 2, ... of increments, and
// counts those that come.
//
// # What is promised
//
// Each message that the upper node sends reaches the peer's upper node exactly
// once, in the order of sending, whatever is lost, doubled or reordered below,
// as long as no node crashes. Datagrams carry whole numbers, not one bit as
// the textbook has it, since a bit is not enough where datagrams overtake.
//
// # Known limits
//
//   - Timers may fire at any moment, and each firing is one more datagram: the
//     space is infinite. System.Within keeps it to a few datagrams under way.
//   - The queue has no cap: Send never refuses.
//   - Messages and timers do not say which Layer they belong to: two Layers in
//     one stack would take each other's.
//   - A crash forgets the numbers; after one the link does not work again.
package stopwait
