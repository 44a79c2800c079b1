// Package reliable sends values over datagrams that are lost, doubled and reordered: each value
// arrives once, in order. Both ends are state machines; docs/machines.md develops them step by
// step.
//
// The sender numbers its values, and sends one at a time, again and again until it is acknowledged.
// While it waits, it defers further requests of the application. The receiver acknowledges every
// packet, and delivers the new ones.
package reliable
