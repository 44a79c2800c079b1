// Package vet finds code in the source of a service that makes its runs impossible to
// repeat, or changes messages under way, before any search meets it: clocks,
// random numbers, goroutines, channels and locks, calls that end the process, output,
// sends in the order of a map, messages that are changed or kept, package variables
// that are written, results of Send that are dropped, and switches that ignore unknown
// types.
//
// [Analyzer] is an ordinary analyzer of golang.org/x/tools/go/analysis. It looks at the
// functions that handlers reach within one package: those with a parameter, or a
// receiver, that is or holds a sim.Env, the functions in a sim.System, and what these
// mention. It does not follow calls into other packages; these are checked when they
// are vetted themselves, if they know sim.Env.
//
// A comment //macemc:allow CHECK: REASON, on the line of a report or on the line
// before, suppresses the report.
package vet
