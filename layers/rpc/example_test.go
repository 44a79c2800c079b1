package rpc_test

import (
	"fmt"

	"macemc/layers/rpc"
	"macemc/search"
	"macemc/systems/counter"
)

// The counter's adds go over the layer. With the known bug RP1 a repeated request takes
// effect twice, which a short search finds.
func ExampleOver() {
	params, err := counter.System.Configure(0, nil, []string{string(rpc.RP1)})
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := search.Search(counter.System, search.Options{Params: params, Effort: 20_000, Walks: 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Finding.Verdict, res.Finding.Property)
	// Output:
	// safety the adds are those of one counter
}
