// Package catalog lists the systems that come with macemc, and their known bugs. To add a
// system, add a line to catalog.go; to add a known bug, add an entry to bugs.go. The
// command macemc takes both from here.
package catalog
