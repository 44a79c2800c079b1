//go:build !unix

package search

import "time"

// Processor returns the processor time of the process, which is unknown on this system.
func Processor() time.Duration { return 0 }

func userTime() time.Duration { return 0 }
