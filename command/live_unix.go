//go:build unix

package command

import "syscall"

// apart shields a process from interrupts of the terminal, since its parent decides when it
// ends.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
