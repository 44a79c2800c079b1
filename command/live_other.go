//go:build !unix

package command

import "syscall"

// apart returns nil: this system has no groups of processes that interrupts of a terminal leave out.
func apart() *syscall.SysProcAttr { return nil }
