// Package quic checks how a QUIC connection finds out which packets were lost: package
// internal/ackhandler of github.com/quic-go/quic-go v0.50.1, as it is.
//
// One end sends frames, each in a packet, and the other acknowledges what it gets. Packets
// and acknowledgements may be lost, doubled and reordered.
//
//	go run ./check search quic
//
// The package is internal. Folder bridge is a module of its own, whose path begins with
// that of the library: so Go lets it import the package, unchanged and at a version that
// go.sum pins.
package quic
