// Package catalog is the list of the systems that come with macemc, and of their
// known bugs, written out. Who adds a system adds a line to catalog.go, and who
// adds a known bug an entry to bugs.go: the command knows them by that.
package catalog
