//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package statelog

import "os"

// Lock makes the directory. This system has no locks, so the caller has to make sure that no other process
// uses the directory.
func (d Dir) Lock() (unlock func(), err error) { return func() {}, os.MkdirAll(string(d), 0o777) }

// syncDir does nothing: renaming is durable there, or a directory cannot be synced.
func syncDir(string) error { return nil }
