package macemc_test

import (
	"fmt"
	"os"
	"testing"
)

func TestZZList(t *testing.T) {
	want := os.Getenv("ZZ")
	all := typed(t)
	for _, w := range writes(all) {
		if w.pkg == want && !w.own {
			fmt.Println(w.owner.Name(), "<-", w.writer, w.field)
		}
	}
}
