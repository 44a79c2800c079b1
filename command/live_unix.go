//go:build unix

package command

import "syscall"

// apart keeps an interrupt of the terminal from a process: who started it says when it
// ends.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
