// Package known describes a known bug: how a search finds it, with which verdict and
// critical step, and where it is in the code. Package catalog lists the known bugs as
// values of these types.
package known
