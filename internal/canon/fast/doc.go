// Package fast is what macemc knows about Go's runtime beyond what the language promises:
// the two words of an interface, the memory of a map, and the receiver of a method value.
// Only internal/canon imports it, and works without it: then it uses reflection for
// interfaces and maps, with the same results, and refuses to copy method values.
//
// # When it is used
//
// [Known] says whether the sources of this Go release were read, for this machine. [Fault]
// is the result of a self-test, which runs once per process. If either fails, Fault returns
// the reason, a search's report shows it, and nothing else here is called. The build tag
// canonslow switches the package off, so that the other implementation can be tested.
//
// # A new Go release
//
// Read internal/runtime/maps (map.go, table.go, group.go), the map types of
// cmd/compile/internal/reflectdata, and MethodValueType in cmd/compile/internal/typecheck.
// If maps.go and funcs.go still describe them, raise the release in known.go and
// unknown.go. If they have another form, add it as split.go was added, or delete this
// folder: then only canon/runtime.go no longer compiles.
package fast
