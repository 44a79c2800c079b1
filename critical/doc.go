// Package critical explains a run that failed: it makes the run short, and finds the critical
// step, which is the last step before which the run could recover and after which it could
// not, and the nearest run that does recover.
//
// The command explains every finding in this way; this package is for programs that have a path.
package critical
