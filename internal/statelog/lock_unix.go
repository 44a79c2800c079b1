//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package statelog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Lock makes this process the only one that uses the directory, until unlock is called or the
// process ends. The directory is made if it does not exist.
func (d Dir) Lock() (unlock func(), err error) {
	if err := os.MkdirAll(string(d), 0o777); err != nil {
		return nil, err
	}
	if err := syncDir(filepath.Dir(filepath.Clean(string(d)))); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(d.in("lock"), os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("another process uses %s now; wait for it, or end it", string(d))
		}
		return nil, err
	}
	return func() { file.Close() }, nil
}

func syncDir(name string) error {
	dir, err := os.Open(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}
