// Package tree is what overlays share that are to form one tree: a node's place
// in it, where it may move from there, and the properties of the whole. It is no
// system of its own; a node of one embeds a Place.
package tree
