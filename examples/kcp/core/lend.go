package core

import (
	"reflect"
	"unsafe"

	kcp "github.com/xtaci/kcp-go/v5"
)

// lend prepares the connection for one call of the library. It sets the function by which the
// library sends, which no search can copy, and the buffer for outgoing packets, which is no part of
// the state. takeBack clears both after the call, so that between two calls the connection consists
// of values only.
func (c *Conn) lend(out func(Packet)) {
	*at[[]byte](c, buffer) = make([]byte, c.space)
	*at[func([]byte, int)](c, output) = func(b []byte, size int) {
		c.thither(b[:size])
		out(Packet(b[:size]))
	}
}

// takeBack ends what lend has begun. It also clears data that the library never reads again, since it would
// make equal states different: the number of times that a segment was sent, beyond one, and the header fields
// of a segment that has arrived or will be written anew.
func (c *Conn) takeBack() {
	*at[[]byte](c, buffer) = nil
	*at[func([]byte, int)](c, output) = nil
	for s := range c.segments(sndBuf) {
		*s.word(xmit) = min(*s.word(xmit), 1)
		*s.word(una), *s.half(wnd) = 0, 0
		if !c.timed {
			*s.word(rto) = min(*s.word(rto), longest)
		}
	}
	if !c.timed {
		*c.word(probeWait) = min(*c.word(probeWait), kcp.IKCP_PROBE_INIT)
	}
	for _, l := range [...]list{rcvQueue, rcvBuf} {
		for s := range c.segments(l) {
			*s.word(ts), *s.word(una), *s.half(wnd) = 0, 0, 0
		}
	}
}

// Opaque lists the values of the library that are not part of the state: the functions that are lent
// to a connection, which are nil between two calls. Older versions have no log function.
var Opaque = functions()

func functions() (all []string) {
	for i := range whole.NumField() {
		if f := whole.Field(i); f.Type.Kind() == reflect.Func {
			all = append(all, whole.PkgPath()+"."+whole.Name()+"."+f.Name)
		}
	}
	return all
}

// list describes the place of a list of segments in a connection.
type list struct {
	field uintptr // the offset of a field of the connection
	inner uintptr // the offset of the slice in the struct to which the field points, or 0 if the field is the slice
	refer bool
	ring  bool // the slice may have unused places, whose segments belong to no conversation
}

// segment is the memory of one of the library's segments.
type segment struct{ at unsafe.Pointer }

func (s segment) word(offset uintptr) *uint32 { return (*uint32)(unsafe.Add(s.at, offset)) }
func (s segment) half(offset uintptr) *uint16 { return (*uint16)(unsafe.Add(s.at, offset)) }

type header struct {
	data     unsafe.Pointer
	len, cap int
}

// segments yields the segments of a list, in an order that does not matter.
func (c *Conn) segments(l list) func(yield func(segment) bool) {
	return func(yield func(segment) bool) {
		h := at[header](c, l.field)
		if l.refer {
			h = (*header)(unsafe.Add(*at[unsafe.Pointer](c, l.field), l.inner))
		}
		for i := range h.len {
			s := segment{unsafe.Add(h.data, uintptr(i)*size)}
			if l.ring && *s.word(conv) == 0 {
				continue
			}
			if !yield(s) {
				return
			}
		}
	}
}

func (c *Conn) count(l list) (n int) {
	for range c.segments(l) {
		n++
	}
	return n
}

// The offsets of fields are determined once, from the library's types. If a field is missing or has
// another type, the program ends when it starts.
var (
	whole  = reflect.TypeFor[kcp.KCP]()
	buffer = find(whole, "buffer", reflect.Slice).Offset
	output = find(whole, "output", reflect.Func).Offset

	sndNxt    = find(whole, "snd_nxt", reflect.Uint32).Offset
	sndUna    = find(whole, "snd_una", reflect.Uint32).Offset
	rcvNxt    = find(whole, "rcv_nxt", reflect.Uint32).Offset
	sndWnd    = find(whole, "snd_wnd", reflect.Uint32).Offset
	cwnd      = find(whole, "cwnd", reflect.Uint32).Offset
	noCwnd    = find(whole, "nocwnd", reflect.Int32).Offset
	rmtWnd    = find(whole, "rmt_wnd", reflect.Uint32).Offset
	probe     = find(whole, "probe", reflect.Uint32).Offset
	probeWait = find(whole, "probe_wait", reflect.Uint32).Offset
	tsProbe   = find(whole, "ts_probe", reflect.Uint32).Offset
	tsFlush   = find(whole, "ts_flush", reflect.Uint32).Offset
	ackList   = find(whole, "acklist", reflect.Slice).Offset

	sndBuf, part = lists("snd_buf")
	rcvQueue, _  = lists("rcv_queue")
	rcvBuf, _    = lists("rcv_buf")

	size     = part.Size()
	conv     = find(part, "conv", reflect.Uint32).Offset
	wnd      = find(part, "wnd", reflect.Uint16).Offset
	ts       = find(part, "ts", reflect.Uint32).Offset
	una      = find(part, "una", reflect.Uint32).Offset
	rto      = find(part, "rto", reflect.Uint32).Offset
	xmit     = find(part, "xmit", reflect.Uint32).Offset
	resendTS = find(part, "resendts", reflect.Uint32).Offset
	acked    = find(part, "acked", reflect.Uint32).Offset
)

// lists returns the place of the list of segments in the field with this name, and the type of a
// segment. In older versions of the library the field is a slice. In later ones it is a pointer to
// a struct with a slice, which may be a ring that is longer than the list.
func lists(name string) (list, reflect.Type) {
	f, ok := whole.FieldByName(name)
	switch {
	case ok && f.Type.Kind() == reflect.Slice:
		return list{field: f.Offset}, f.Type.Elem()
	case ok && f.Type.Kind() == reflect.Pointer:
		for _, inner := range [...]string{"elements", "segments"} {
			if in, ok := f.Type.Elem().FieldByName(inner); ok && in.Type.Kind() == reflect.Slice {
				return list{f.Offset, in.Offset, true, inner == "elements"}, in.Type.Elem()
			}
		}
	}
	panic("core: this version of the library keeps no list of segments in " + whole.String() + "." + name)
}

func find(t reflect.Type, name string, kind reflect.Kind) reflect.StructField {
	f, ok := t.FieldByName(name)
	if !ok || f.Type.Kind() != kind {
		panic("core: this version of the library has no field " + t.String() + "." + name + " of kind " + kind.String())
	}
	return f
}
