// Package bridge exports package ackhandler of quic-go, which is internal. Go allows this package to
// import it, since its path begins with that of the library.
package bridge

import (
	"time"

	"github.com/quic-go/quic-go/internal/ackhandler"
	"github.com/quic-go/quic-go/internal/congestion"
	"github.com/quic-go/quic-go/internal/protocol"
	"github.com/quic-go/quic-go/internal/utils"
	"github.com/quic-go/quic-go/internal/wire"
)

// These are types of the library that package quic needs.
type (
	Sent     = ackhandler.SentPacketHandler
	Received = ackhandler.ReceivedPacketHandler
	Number   = protocol.PacketNumber
	Frame    = wire.Frame
	Data     = wire.CryptoFrame
	Ping     = wire.PingFrame
	Ack      = wire.AckFrame
	Range    = wire.AckRange
	Handler  = ackhandler.FrameHandler
)

// These are the actions that a sender may take.
const (
	SendAny   = ackhandler.SendAny
	SendLater = ackhandler.SendPacingLimited
	SendProbe = ackhandler.SendPTOHandshake
)

const level = protocol.EncryptionHandshake

// New returns the two halves of one end of a connection: the one that keeps the packets that were
// sent, and the one that keeps those that arrived.
func New() (Sent, Received) {
	return ackhandler.NewAckHandler(0, protocol.InitialPacketSize, &utils.RTTStats{}, true, false, protocol.PerspectiveServer, nil, utils.DefaultLogger)
}

// Send registers a packet with frame f as sent, and returns its number. h learns whether the frame
// is acknowledged or lost.
func Send(s Sent, now time.Time, f Frame, h Handler) Number {
	pn := s.PopPacketNumber(level)
	s.SentPacket(now, pn, protocol.InvalidPacketNumber, nil, []ackhandler.Frame{{Frame: f, Handler: h}}, level, protocol.ECNNon, 100, false, false)
	return pn
}

// Acked passes an acknowledgement that has arrived to s.
func Acked(s Sent, now time.Time, a *Ack) error {
	_, err := s.ReceivedAck(a, level, now)
	return err
}

// Probe queues a packet to be sent again as a probe, and reports whether there is one.
func Probe(s Sent) bool { return s.QueueProbePacket(level) }

// Receive records that packet pn has arrived. fresh reports whether it has arrived for the first
// time, and a is the acknowledgement to send.
func Receive(r Received, now time.Time, pn Number) (a *Ack, fresh bool, err error) {
	if r.IsPotentiallyDuplicate(pn, level) {
		return nil, false, nil
	}
	err = r.ReceivedPacket(pn, protocol.ECNNon, level, now, true)
	return r.GetAckFrame(level, now, true), true, err
}

// Estimator is the part of the congestion controller that estimates the bandwidth. The controller's
// pacer has a field with a function that calls it. A search cannot copy a function, so it uses Pace
// to make another one.
type Estimator interface{ BandwidthEstimate() congestion.Bandwidth }

// Pace returns the function by which a pacer asks for the bandwidth, in bytes per second, in the way
// in which the library makes it.
func Pace(e Estimator) func() uint64 {
	return func() uint64 { return uint64(e.BandwidthEstimate()/congestion.BytesPerSecond) * 5 / 4 }
}
