package live

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"

	"macemc/internal/codec"
)

// The protocol between two nodes. A connection begins with the hello of the node that opens
// it, and a welcome of the other one or a refusal with its reason. Then come frames in both
// directions: a length in four bytes, a kind, the rest.

// magicWire is the beginning of a hello and of its answer. The number is the version of the protocol.
const magicWire = "macemc live wire 1\n"

const (
	helloMost  = 256 << 10
	typesMost  = 2_000
	frameHead  = 5
	boxedMost  = 4096 // the largest number of messages of bags and sets under way to a node
	serialMost = 10   // the largest size of an encoded number in bytes
)

type frameKind uint8

const (
	frameMessage  frameKind = iota + 1 // by TCP: serial, value
	frameBag                           // serial, value
	frameSet                           // serial, value
	frameDatagram                      // serial, value: with TLS, when datagrams travel on the connections
	frameAck                           // the number of TCP messages of this connection that were delivered
	frameBoxed                         // the serial of a message of a bag or a set that was received
	framePing                          // shows that the sender is alive
	frameReset                         // the sender closes the connection; says whether it was open
)

// hello is the description of itself that each end of a connection sends first.
type hello struct {
	system string
	run    string // nodes, parameters, known bugs, codec: both ends run the same
	from   int
	to     int
	life   uint64
	conn   uint64 // the name of the connection, which the end that opens it draws
	last   uint64 // the name of the previous connection
	came   uint64 // the number of messages of the receiver that were delivered on that connection
	low    uint64 // the least serial of a message of a bag or a set that may be sent again
	types  []codec.Type
}

func (h *hello) append(buf []byte) []byte {
	text := func(s string) {
		buf = binary.AppendUvarint(buf, uint64(len(s)))
		buf = append(buf, s...)
	}
	text(h.system)
	text(h.run)
	for _, x := range []uint64{uint64(h.from), uint64(h.to), h.life, h.conn, h.last, h.came, h.low, uint64(len(h.types))} {
		buf = binary.AppendUvarint(buf, x)
	}
	for _, t := range h.types {
		text(t.Name)
		buf = binary.BigEndian.AppendUint64(buf, t.Shape)
	}
	return buf
}

func (h *hello) read(data []byte) error {
	d := codec.NewFields(data)
	h.system, h.run = d.Text(), d.Text()
	h.from, h.to = d.Int(), d.Int()
	for _, x := range []*uint64{&h.life, &h.conn, &h.last, &h.came, &h.low} {
		*x = d.Uint()
	}
	n := d.Int()
	if n > typesMost {
		d.Spoil()
		n = 0
	}
	for range n {
		if d.Bad() {
			break
		}
		h.types = append(h.types, codec.Type{Name: d.Text(), Shape: d.Fixed()})
	}
	if d.Bad() || len(d.Rest()) > 0 {
		return errors.New("the hello is malformed; run the same macemc on all nodes")
	}
	return nil
}

// greet writes a hello, or the answer to one: a hello too, or, if why is not "", a refusal for that reason.
func greet(w io.Writer, h *hello, why string) error {
	body := []byte{0}
	if why != "" {
		body = append([]byte{1}, why[:min(len(why), 1000)]...)
	} else {
		body = h.append(body)
	}
	out := append([]byte(magicWire), 0, 0, 0, 0)
	binary.BigEndian.PutUint32(out[len(magicWire):], uint32(len(body)))
	_, err := w.Write(append(out, body...))
	return err
}

// refused is an error with the reason for which the other end has refused a connection.
type refused string

func (r refused) Error() string { return "the other node refuses: " + string(r) }

var (
	errUnmet  = errors.New("the connection ended before the other end had named itself")
	errSilent = errors.New("the other end connected, but did not name itself in time")
)

// met reads the message that greet has written. If that is a refusal, it returns the reason as a refused
// error.
func met(r io.Reader) (*hello, error) {
	h, err := readHello(r)
	switch late := net.Error(nil); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errUnmet
	case errors.As(err, &late) && late.Timeout():
		return nil, errSilent
	}
	return h, err
}

func readHello(r io.Reader) (*hello, error) {
	head := make([]byte, len(magicWire)+4)
	if _, err := io.ReadFull(r, head[:len(magicWire)]); err != nil {
		return nil, err
	}
	if got := string(head[:len(magicWire)]); got != magicWire {
		if i := len(magicWire) - 2; got[:i] == magicWire[:i] {
			return nil, fmt.Errorf("the other end speaks version %q of the protocol, and this one %q; run the same macemc on all nodes", got[i:len(got)-1], magicWire[i:len(magicWire)-1])
		}
		return nil, fmt.Errorf("the connection does not begin with %q, so the other end is no live node of macemc; does another program use this port?", magicWire)
	}
	if _, err := io.ReadFull(r, head[len(magicWire):]); err != nil {
		return nil, err
	}
	n := int(binary.BigEndian.Uint32(head[len(magicWire):]))
	if n < 1 || n > helloMost {
		return nil, fmt.Errorf("the hello says that it has %d bytes; it must have 1 to %d: run the same macemc on all nodes", n, helloMost)
	}
	body, err := readAll(r, nil, n)
	if err != nil {
		return nil, err
	}
	if body[0] == 1 {
		return nil, refused(printable(body[1:]))
	}
	h := new(hello)
	return h, h.read(body[1:])
}

// printable returns text, which comes from a stranger, without characters that could control a terminal.
func printable(text []byte) string {
	out := []rune(string(text[:min(len(text), 1000)]))
	for i, r := range out {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0xfffd {
			out[i] = '?'
		}
	}
	return string(out)
}

// readAll reads n bytes into buf. It allocates memory only as bytes arrive, since n comes from the other
// end.
func readAll(r io.Reader, buf []byte, n int) ([]byte, error) {
	const chunk = 64 << 10
	buf = buf[:0]
	for len(buf) < n {
		at := len(buf)
		more := min(n-at, chunk)
		buf = slices.Grow(buf, more)[:at+more]
		if _, err := io.ReadFull(r, buf[at:]); err != nil {
			return buf[:at], err
		}
	}
	return buf, nil
}

var errTooLarge = errors.New("is too large")

// readFrame reads a frame whose size is at most most bytes. The body that it returns is in the memory of
// buf.
func readFrame(r io.Reader, head *[frameHead]byte, buf []byte, most int) (kind frameKind, body []byte, err error) {
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, buf, err
	}
	n := int(binary.BigEndian.Uint32(head[:4]))
	if n > most {
		return 0, buf, fmt.Errorf("a frame of %d bytes %w; a message has at most %d (Config.MessageMost)", n, errTooLarge, most)
	}
	body, err = readAll(r, buf, n)
	return frameKind(head[4]), body, err
}

// beginFrame appends the head of a frame to buf. The caller appends the body, and calls endFrame to set the
// length.
func beginFrame(buf []byte, kind frameKind) []byte { return append(buf, 0, 0, 0, 0, byte(kind)) }

func endFrame(buf []byte, at int) []byte {
	binary.BigEndian.PutUint32(buf[at:], uint32(len(buf)-at-frameHead))
	return buf
}

func numberFrame(buf []byte, kind frameKind, x uint64) []byte {
	at := len(buf)
	return endFrame(binary.AppendUvarint(beginFrame(buf, kind), x), at)
}
