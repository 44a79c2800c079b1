package trail

import (
	"os"

	"golang.org/x/sys/unix"
)

// Memory is a file without a name, which is nowhere on a disk and gone with the
// last process that has it.
func Memory(what string) (*os.File, error) {
	fd, err := unix.MemfdCreate("macemc-"+what, unix.MFD_CLOEXEC)
	if err != nil {
		return unnamed(what)
	}
	return os.NewFile(uintptr(fd), what), nil
}
