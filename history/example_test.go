package history_test

import (
	"fmt"

	"macemc/history"
)

// A Log checks what clients of a running service have seen. The second read returns the
// old value although the first one has returned the new value before.
func ExampleLog() {
	log := history.NewLog(2)
	write := log.Call(0, "x", history.Write{Value: 1})
	first := log.Call(1, "x", history.Read{})
	log.Return(first, 1)
	second := log.Call(1, "x", history.Read{})
	log.Return(second, 0)
	log.Return(write, nil)
	fmt.Println(log.Check(history.Register(0)))
	// Output:
	// n1 returns 0 from Read on the register x: no order of the operations so far explains it; the object may have held 1
}
