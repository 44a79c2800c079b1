// Package known is what is said of a known bug: how it is found, as what, with
// which critical step, and where in the code it is. The bugs themselves are listed
// in package catalog, by these types.
package known
