// Package canon walks any Go value and returns its identity in three forms: a hash for the
// search, a text for the reader, and a copy for searches that return to an earlier state.
// Only this package decides when two states are equal; nothing above it may compare states
// in any other way.
//
// # Input and output
//
// The input is a value: a node, a message, a signal. The output is its [Hash] of 128 bits,
// its text on one line or as a list of [Line], its copy, or an error that names the field
// that cannot be walked and says what to do about it. Hashes are equal across processes and
// machines.
//
// # Words
//
//   - plan: what the walk does for one type. It is compiled once per type, by
//     reflection, which refuses types that cannot be walked.
//   - track: the steps in which the walk passes a plan's values in memory.
//   - root: the value that a caller passes, from which the walk begins.
//   - visit: the arrival of the walk at a value. Visits are numbered. The walk registers a visit, which
//     means that it remembers the value's address, if a pointer may lead to the value again.
//   - encoding: the bytes that the walk writes. It is injective and self-delimiting,
//     so equal bytes mean equal values. The hash is the hash of these bytes.
//   - tree: the same walk for the reader. [Walker.Text] prints it on a line,
//     [Walker.Lines] flattens it. Trees differ if encodings differ.
//   - inline: a value that lies inside another one (a field, an element), and is not
//     reached through a pointer.
//   - identity: which object a pointer or a map leads to. It is part of the
//     value: sharing one object differs from having two equal ones.
//   - left out: a value that contributes nothing, by the tag `mc:"-"`, by an
//     Opaque rule or by Options.Skip.
//   - rule: a line of Options.Opaque or Options.Immutable.
//   - immutable: a value that never changes once it is made. It counts by its content,
//     without identity, and copies share it (content.go).
//   - present: the instant of a root value from which its times are counted.
//   - World: the runtime that holds the roots. Values of its own types, which Options.Skip names, are
//     no part of a root.
//   - block: memory that a pointer or a slice leads to, as a copy meets it.
//   - summary: the value that a [Summarizer] puts in its own place.
//
// # Guarantees
//
// Two values have equal encodings exactly if they have the same dynamic type and the same
// contents, including all unexported fields. In detail:
//
//   - Maps have no order. Nil differs from empty for maps and slices. The
//     capacity of a slice, padding, and fields named _ do not count.
//   - Floats count by their bits: -0 differs from +0, and NaN payloads are kept.
//   - An interface counts its dynamic type by full package path and name, with
//     type arguments.
//   - Pointers and maps count by their identity: the second time the walk meets an
//     object, it writes the number of the first visit. A pointer to a field or an element
//     that the walk also meets inline is such a second visit, in
//     either order. So cycles end, and a cycle differs from its unrolling.
//   - An unheld sync.Mutex or sync.RWMutex contributes nothing. Types of
//     sync/atomic count as their value.
//   - A time.Time counts by its two clock words (so the monotonic reading counts) and the name of
//     its location. If Options.Now returns a present, it counts by its distance from there instead,
//     except for the zero time.
//
// If a map's values may have identity, its entries are visited in the order of their keys'
// encodings, so that first visits do not depend on the order of iteration. Otherwise the
// encoding of a map is the sum of its entries' hashes.
//
// # What is refused
//
// Functions, channels, uintptr and unsafe.Pointer are refused by their type, even if they
// are nil, since a later value of the field would be lost. Also refused are held mutexes,
// map keys that are or hold pointers, values nested deeper than 50,000 levels (such as a
// slice that contains itself), and two types with one full name (declared inside of
// functions) behind interfaces.
//
// # Copies
//
// [Walker.Copy] documents what a copy shares with the original. A copy is made in one pass.
// If two of the blocks that it met overlap (a pointer into a struct, slices of one array),
// it is made again, with all memory allocated first.
//
// A function value in a field that is left out is copied as follows. A function without
// variables is shared. A method value is, in memory, a struct of its code and its receiver,
// whose type follows from its name; it is copied as this struct, so that the receiver
// belongs to the copy (funcs.go). Any other closure is refused, since only the compiler
// knows its variables, and so are method values if the layout of functions is not known:
// see [Slow]. [Walker.Bound] reports in advance what Copy would refuse or share.
//
// # Finding
//
// [Walker.Finder] finds all values of some types that the walk meets, so that a runtime can
// renumber them in place.
//
// # How a value is walked
//
// Reflection determines once per type where its parts lie (plan.go, copyplan.go). From then
// on the walk reads memory directly, by offsets (track.go, encode.go, copy.go): adjacent
// scalars without padding are one run, and so are lists of them. Texts need not be fast,
// and are always made by reflection (tree.go).
//
// Two things cannot be read so, since the language does not define where they lie: the
// value in an interface, and the entries of a map. (A third, the receiver of a method
// value, matters only for copies.) For these there are two implementations (runtime.go).
// Reflection opens interfaces and iterates over maps, into scratch memory of the Walker.
// Package canon/fast knows the words of interfaces and the groups of maps, if the sources
// of the Go release were read and its self-test passed. Then entries are read where they
// lie, hashed from registers if they are two numbers, and maps are copied group by group,
// with the seed of the original. Bytes, hashes, texts and copies are the same in both;
// [Slow] says why the faster one is not used.
//
// # Known limits
//
//   - Slices that share a backing array are walked apart: the sharing does not count, although
//     appending to one of them may change another. Whether it does depends on capacities, which are not part of
//     a value: they depend on how it was made, so counting them would make equal values
//     differ. A pointer seen under a converted type (a *A and a *B to one object)
//     does not count as shared either.
//   - Pointers to values of size zero have no identity, since the language gives
//     them none.
//   - A pointer to a package variable counts by what it points to: io.EOF
//     hashes as any other error of that text.
//   - A type tag of 64 bits stands for a dynamic type, and the sum of 128-bit
//     hashes for a map's entries: equality is up to collisions of these. Types
//     whose tags collide in one Walker are refused.
//   - A struct that embeds an implementation of a Skip interface is walked
//     without that field, rather than left out: its own fields may be state.
//   - Values that differ only in what a Summary leaves out are equal.
//   - The text of a Named type is its String, which must differ for different values.
//   - If two types behind interfaces have one short name, texts use it for the first that a
//     Walker meets, and the full path for the other.
//   - A copy of a pointer to a package variable leads to a copy of the variable:
//     comparing it with the variable's address gives false. Errors made by
//     errors.New, which are compared so, are shared instead.
//   - A value that implements a Skip interface by methods of its own, not by
//     embedding, is shared by all copies with everything that it leads to: a layer that
//     keeps such an Env must set it again when it is entered.
//   - What is reached through a shared value is shared, even if another way to it
//     is copied. Functions with variables are not shared: see above.
//   - Memory that unsafe code shows as lists of two types that overlap in part
//     cannot be copied.
//   - Lines do not name the root's own type; Text does.
//
// # The hash function
//
// It is XXH3 with 128 bits (github.com/zeebo/xxh3). Unlike hash/maphash it does not depend
// on the process; it is vectorized for long inputs and among the fastest for short ones.
package canon
