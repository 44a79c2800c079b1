// Package lines finds out which lines of a service ran in each step of a run. A copy of the
// current program is built with Go's coverage, once, and takes the recorded path again. It
// clears the counters before each handler and reads them after it. It does not evaluate
// properties, so that only the service is counted.
//
// The result names pieces of code by file and line. If no copy can be built (no go command,
// no sources, or a test binary), the error says so in one line.
package lines
