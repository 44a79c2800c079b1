// Package echomulticast is Echo Multicast (Reiter 1994): initiators multicast a message
// to receivers of which some are Byzantine, as some initiators are.
//
// An initiator sends its message to all receivers. A receiver signs the first message
// that it gets from each initiator, and sends the signature back. Signatures of a quorum
// are a certificate, with which the initiator commits the message; a receiver delivers a
// message that comes with one. Two quorums have an honest receiver in common, which signs
// once: so no two honest receivers deliver different messages of one initiator.
//
// The Byzantine nodes are those of System.Byzantine. A Byzantine initiator sends one
// message to one half of the honest receivers, another one to the other half, and both to
// the Byzantine receivers; with strategy=both, it sends both to everybody. It commits
// whatever gets a certificate. A Byzantine receiver signs everything for a Byzantine
// initiator, and something else for an honest one. Signatures are not forged: a
// certificate says who signed, and nobody makes one up.
//
// Setting (HR,HI,BR,BI) of Bokor, Kinder, Serafini and Suri, "Efficient Model Checking of
// Fault-Tolerant Distributed Protocols", is the parameters receivers, initiators,
// bad-receivers and bad-initiators in this order. Quorums are counted message by message,
// or with answers=quorum taken in one event (see sim.OnQuorum).
//
// Its known bugs are in system.go.
package echomulticast
