//go:build !unix

package search

import "time"

// Processor returns the processor time that the process has taken, which this system does
// not tell.
func Processor() time.Duration { return 0 }

func userTime() time.Duration { return 0 }
