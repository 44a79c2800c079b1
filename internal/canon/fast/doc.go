// Package fast is what macemc knows about Go's runtime and the language does not
// promise: the two words of an interface, the memory of a map, and to what a method
// value is bound. Only internal/canon imports it, and does without: then it opens
// interfaces and goes through maps by reflection, with the same results, and
// refuses to copy method values.
//
// # When it is used
//
// [Known] says whether the sources of this Go release were read, for this
// machine, and [Fault] whether the self-test found them to be so, once a process.
// Unless both are well, Fault says why, a search says so in its report, and
// nothing here is called. The build tag canonslow switches the room off, so that
// the other way is tested.
//
// # A new Go release
//
// Read internal/runtime/maps (map.go, table.go, group.go) and the map types of
// cmd/compile/internal/reflectdata, and MethodValueType in
// cmd/compile/internal/typecheck. If what maps.go and funcs.go say of them is still so,
// raise the release in known.go and unknown.go. If they grew another form, add
// it as split.go was added, or delete this folder: canon says what is left to do
// where it no longer compiles, in runtime.go alone.
package fast
