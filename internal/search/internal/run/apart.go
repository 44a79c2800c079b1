package run

import (
	"fmt"
	"runtime/debug"
)

// Apart does something on a goroutine of its own, so that a handler which ends
// its goroutine (runtime.Goexit, t.FailNow) does not end the caller's: nothing
// else stops that. It reports whether do returned. A panic is passed on.
func Apart[T any](do func() (T, error)) (out T, returned bool, err error) {
	done := make(chan struct{})
	thrown := ""
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				thrown = fmt.Sprintf("%v\n\n%s", p, debug.Stack())
			}
		}()
		out, err = do()
		returned = true
	}()
	<-done
	if thrown != "" {
		panic(thrown)
	}
	return out, returned, err
}
