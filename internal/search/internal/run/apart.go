package run

import (
	"fmt"
	"runtime/debug"
)

// Apart calls do on a goroutine of its own. If a handler ends its goroutine (runtime.Goexit,
// t.FailNow), which nothing can prevent, the caller's goroutine goes on. Apart reports whether do
// returned. It passes a panic on.
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
