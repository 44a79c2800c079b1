package raft

import (
	"testing"

	"macemc/internal/manners"
)

// TestManners prints how soon walks of several manners find the driver's known bugs.
func TestManners(t *testing.T) { manners.Table(t, Known) }
