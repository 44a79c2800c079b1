// Package tree has what the overlays that form one tree have in common: the places that a node may
// move to, and the properties of the whole tree. It is not a system. It only asks a node for its
// parent and its children.
package tree
