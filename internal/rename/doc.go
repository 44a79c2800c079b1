// Command rename is a command of this repository: it gives the module another path,
// in all that says it: imports, module files, documents, transcripts, stacks that
// tests expect. A path without a dot in its first word cannot be fetched, so whoever
// publishes the module gives it theirs: make module MODULE=example.org/you/macemc.
package main
