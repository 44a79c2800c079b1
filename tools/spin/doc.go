// Command spin searches the same spaces by SPIN and by macemc, and prints how long each
// takes and how much memory. It is not part of the product, and a module of its own.
//
// A row is a protocol with two texts: the service as macemc runs it, and a model in Promela
// that this program generates. Both have the same states, and the same transitions, or the
// row is refused: a comparison of unequal spaces says nothing.
//
//	cd tools/spin && go run .              print the table
//	go run . -rows 'paxos|storage' -n 5    some of the rows, five turns each
//	go run . -promela paxos                print the generated model
//
// SPIN generates a checker in C (spin -a), which is compiled with -O3, without reduction, for
// safety alone, with the smallest size of state vector that is enough. Its state is compared whole,
// without compression, as macemc's is. The time is that of the processor, user and system, of the
// compiled checker alone; its memory is what was resident at most. macemc runs as a child of its
// own, with one worker, for safety alone, then with liveness decided exactly, and
// with two workers by the clock. All take turns.
//
// Where there is no spin or no C compiler, the program says so and ends with success.
package main
