package trail

import (
	"os"

	"golang.org/x/sys/unix"
)

// Memory returns a file without a name. It is not on any disk, and disappears with the last
// process that has it open.
func Memory(what string) (*os.File, error) {
	fd, err := unix.MemfdCreate("macemc-"+what, unix.MFD_CLOEXEC)
	if err != nil {
		return unnamed(what)
	}
	return os.NewFile(uintptr(fd), what), nil
}
