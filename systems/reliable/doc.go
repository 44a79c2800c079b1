// Package reliable sends values over datagrams that are lost, doubled and reordered: each comes
// once, in order. Both ends are state machines; docs/machines.md develops them step by step.
//
// The sender numbers its values, and sends one at a time, again and again until it is
// acknowledged. While it waits, it defers what else the application asks to be sent.
// The receiver acknowledges whatever comes, and delivers what is new.
package reliable
