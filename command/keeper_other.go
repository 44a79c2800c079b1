//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package command

import (
	"time"

	"macemc/internal/lines"
)

// keeper has no function on this operating system: runs are taken in the process of the
// command.
type keeper struct{}

type death struct{}

func heldBy() *child                                     { return nil }
func (t *tool) keep(bool) *keeper                        { return nil }
func (k *keeper) search(time.Duration) int               { return 0 }
func (k *keeper) shown() string                          { return "" }
func (k *keeper) counted(*lines.Program) (func(), error) { return nil, nil }
func (k *keeper) other() (int, *death, int)              { return 0, nil, 0 }
func tellDeath(*death, int) (_, _ string)                { return "", "" }
func how(*death) string                                  { return "" }
