// Package tree is what overlays share that are to form one tree: where a node may
// move to, and the properties of the whole. It is no system of its own, and asks
// of a node only who its parent and its children are.
package tree
