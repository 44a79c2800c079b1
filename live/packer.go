package live

import (
	"encoding/binary"
	"fmt"
	"reflect"

	"macemc/internal/codec"
	"macemc/internal/codecs"
	"macemc/sim"
)

// packer encodes messages as frames of the protocol, and decodes them. Only the node's
// goroutine encodes; any goroutine may decode.
type packer struct {
	codec    Codec
	own      *codec.Codec // writes types by their fields; nil if the user has a codec
	most     int          // the largest size of a message in bytes
	sendable map[reflect.Type]bool
}

func newPacker(h *Host) *packer {
	p := &packer{codec: h.config.Codec, most: h.config.MessageMost, sendable: map[reflect.Type]bool{}}
	if p.codec == nil {
		p.own = codecs.Of(h.sys)
		for _, v := range h.config.Types {
			p.own.Allow(reflect.TypeOf(v))
		}
		p.codec = named{p.own}
	}
	return p
}

// named makes the module's own codec, which encodes values by their fields, a Codec with a
// name.
type named struct{ appender }

type appender interface {
	Append(buf []byte, m any) ([]byte, error)
	Decode(data []byte) (any, error)
}

func (named) Name() string { return "by fields" }

// frame returns message m as a frame of this kind, in the memory of buf.
func (p *packer) frame(kind frameKind, serial uint64, m sim.Message, buf []byte) ([]byte, error) {
	if err := p.vetted(m); err != nil {
		return nil, err
	}
	buf = binary.AppendUvarint(beginFrame(buf[:0], kind), serial)
	buf, err := p.codec.Append(buf, m)
	if err != nil {
		return nil, err
	}
	if len(buf)-frameHead > p.most {
		return nil, fmt.Errorf("it has %d bytes, and a message has at most %d (Config.MessageMost)", len(buf), p.most)
	}
	return endFrame(buf, 0), nil
}

// vetted returns an error if the other nodes cannot decode messages of the type of m. It
// remembers the types that it has checked.
func (p *packer) vetted(m sim.Message) error {
	t := reflect.TypeOf(m)
	if p.own == nil || p.sendable[t] {
		return nil
	}
	err := p.own.Refused(t)
	if err == nil {
		p.sendable[t] = true
	}
	return err
}
