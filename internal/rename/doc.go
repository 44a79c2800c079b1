// Command rename gives the module another path, everywhere in the repository: in imports, module
// files, documents, transcripts, and the stacks that tests expect. A path without a dot in its first
// element cannot be fetched, so whoever publishes the module needs another one: make module
// MODULE=example.org/you/macemc.
package main
