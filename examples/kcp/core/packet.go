package core

import (
	"encoding/binary"
	"fmt"
	"strings"

	kcp "github.com/xtaci/kcp-go/v5"
)

// Packet is a datagram, which is a sequence of segments. It is a string, since that
// cannot change.
type Packet string

// String returns the packet as reports show it.
func (p Packet) String() string {
	var all []string
	for h := range headers([]byte(p)) {
		text := fmt.Sprintf("%q", h[4])
		switch h.kind() {
		case kcp.IKCP_CMD_PUSH:
			text = fmt.Sprintf("push %d %q", int32(h.word(12)), strings.TrimRight(string(h[overhead:]), "."))
			if h[5] > 0 {
				text += fmt.Sprintf(" and %d more", h[5])
			}
		case kcp.IKCP_CMD_ACK:
			text = fmt.Sprintf("ack %d", int32(h.word(12)))
		case kcp.IKCP_CMD_WASK:
			text = "ask for the window"
		case kcp.IKCP_CMD_WINS:
			text = "tell the window"
		}
		all = append(all, fmt.Sprintf("%s (has all before %d, room for %d)", text, int32(h.word(16)), binary.LittleEndian.Uint16(h[6:])))
	}
	return strings.Join(all, "; ")
}

// Conv returns the number of the connection to which the packet belongs.
func (p Packet) Conv() uint32 { return head(p).word(0) }

// head is the header of a segment in a packet.
type head []byte

func (h head) kind() byte             { return h[4] }
func (h head) instant() uint32        { return h.word(8) }
func (h head) setInstant(to uint32)   { binary.LittleEndian.PutUint32(h[8:], to) }
func (h head) word(offset int) uint32 { return binary.LittleEndian.Uint32(h[offset:]) }

func headers(b []byte) func(yield func(head) bool) {
	return func(yield func(head) bool) {
		for len(b) >= overhead {
			n := overhead + int(head(b).word(20))
			if n > len(b) || !yield(head(b[:n])) {
				return
			}
			b = b[n:]
		}
	}
}
