//go:build unix

package command

import "syscall"

// apart returns attributes that shield a new process from the interrupts of the terminal,
// since its parent decides when it ends.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
