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

// These are types of the library.
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

// New returns the two halves of one end of a connection.
func New() (Sent, Received) {
	return ackhandler.NewAckHandler(0, protocol.InitialPacketSize, &utils.RTTStats{}, true, false, protocol.PerspectiveServer, nil, utils.DefaultLogger)
}

// Send registers a packet with one frame, and returns its number.
func Send(s Sent, now time.Time, f Frame, h Handler) Number {
	pn := s.PopPacketNumber(level)
	s.SentPacket(now, pn, protocol.InvalidPacketNumber, nil, []ackhandler.Frame{{Frame: f, Handler: h}}, level, protocol.ECNNon, 100, false, false)
	return pn
}

// Acked handles an acknowledgement.
func Acked(s Sent, now time.Time, a *Ack) error {
	_, err := s.ReceivedAck(a, level, now)
	return err
}

// Probe queues a packet to be sent again, and reports whether there is one.
func Probe(s Sent) bool { return s.QueueProbePacket(level) }

// Receive handles a packet, unless it came before, and returns the acknowledgement to send.
func Receive(r Received, now time.Time, pn Number) (a *Ack, fresh bool, err error) {
	if r.IsPotentiallyDuplicate(pn, level) {
		return nil, false, nil
	}
	err = r.ReceivedPacket(pn, protocol.ECNNon, level, now, true)
	return r.GetAckFrame(level, now, true), true, err
}

// Estimator is the congestion controller. Its pacer has the function that Pace returns.
type Estimator interface{ BandwidthEstimate() congestion.Bandwidth }

// Pace returns the function by which a pacer knows the bandwidth, in bytes per second, as
// the library makes it.
func Pace(e Estimator) func() uint64 {
	return func() uint64 { return uint64(e.BandwidthEstimate()/congestion.BytesPerSecond) * 5 / 4 }
}
