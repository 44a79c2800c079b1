// Package verify holds the catalogue of known bugs to what it states. Entries
// come in; each bug is looked for on several seeds, and must be found as what its
// entry says, with a critical step of the kind that it says; without the bug
// nothing may be found by ten times the effort of the slowest. What came of it goes out as a
// Report, which it does not print.
package verify
