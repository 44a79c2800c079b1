// Command spin searches the same spaces with SPIN and with macemc, and prints how much time and
// memory each takes. It is not part of the product, and is a module of its own.
//
// A row is a protocol with two texts: the service as macemc runs it, and a model in Promela
// that this program generates. Both must have the same numbers of states and transitions; if
// they do not, the row is rejected, since comparing different spaces shows nothing.
//
//	cd tools/spin && go run .              print the table
//	go run . -rows 'paxos|storage' -n 5    some of the rows, five turns each
//	go run . -promela paxos                print the generated model
//
// SPIN generates a checker in C (spin -a). It is compiled with -O3, without reduction, for
// safety alone, with the smallest state vector that suffices. It compares states whole,
// without compression, as macemc does. Its time is the processor time, user and system, of
// the compiled checker alone; its memory is the largest resident size. macemc runs as a child
// process: with one worker for safety alone, then with liveness decided exactly, and then with
// two workers, measured by the clock. All of them take turns.
//
// If there is no spin or no C compiler, the program says so and exits with success.
package main
