// Package catalog is the list of the systems that come with macemc, written
// out. Who adds a system adds a line here, and the command knows it.
package catalog
