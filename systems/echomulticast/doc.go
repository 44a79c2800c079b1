// Package echomulticast is Echo Multicast (Reiter 1994): initiators multicast a message to
// receivers. Some receivers and some initiators are Byzantine.
//
// An initiator sends its message to all receivers. A receiver signs the first message that it gets
// from each initiator, and sends the signature back. The signatures of a quorum are a certificate,
// with which the initiator commits the message; a receiver delivers a message that comes with a
// certificate. Two quorums have an honest receiver in common, which signs only once: so no two
// honest receivers deliver different messages of one initiator.
//
// The Byzantine nodes are those of System.Byzantine. A Byzantine initiator sends one message to one
// half of the honest receivers, another one to the other half, and both to the Byzantine receivers;
// with strategy=both, it sends both to every node. It commits every message that gets a
// certificate. A Byzantine receiver signs everything for a Byzantine initiator, and something else
// for an honest one. Signatures are not forged: a certificate names the signers, and nobody makes
// one up.
//
// Setting (HR,HI,BR,BI) of Bokor, Kinder, Serafini and Suri, "Efficient Model Checking of
// Fault-Tolerant Distributed Protocols", corresponds to the parameters receivers, initiators,
// bad-receivers and bad-initiators in this order. The signatures of a quorum are counted message by
// message, or with answers=quorum taken in one event (see sim.OnQuorum).
//
// Its known bugs are in system.go.
package echomulticast
