//go:build !unix

package command

import "syscall"

// apart returns nil: on this system a process cannot be shielded from the interrupts of a terminal.
func apart() *syscall.SysProcAttr { return nil }
