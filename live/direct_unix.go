//go:build unix

package live

import (
	"net"
	"syscall"
)

// direct writes to a connection the bytes that the operating system takes at once, without
// waiting. If raw is nil, as under TLS, it writes nothing.
type direct struct {
	raw  syscall.RawConn
	data []byte
	took int
	try  func(fd uintptr) bool
}

func directly(conn net.Conn) (d *direct) {
	d = new(direct)
	if tcp, is := conn.(*net.TCPConn); is {
		d.raw, _ = tcp.SyscallConn()
	}
	d.try = func(fd uintptr) bool {
		d.took, _ = syscall.Write(int(fd), d.data)
		return true
	}
	return d
}

// write writes as much of data as the operating system takes at once, and returns the number of these bytes. It
// reports no error. If the connection is broken, the next write on it that waits returns the error.
func (d *direct) write(data []byte) int {
	if d.raw == nil {
		return 0
	}
	d.data, d.took = data, 0
	_ = d.raw.Write(d.try)
	d.data = nil
	return max(d.took, 0)
}
