// Package verify checks the catalogue of known bugs. It searches for each bug on several
// seeds: the bug must be found with the verdict that its entry states, and with a critical
// step of the stated kind. Without the bug nothing may be found in ten times the effort for
// the slowest bug. The result is a Report, which verify does not print.
package verify
