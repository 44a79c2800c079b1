// Package canon walks a Go value and says what it is: a hash for the search,
// a text for the reader, a copy for an engine that goes back. It is the one room
// which decides when two states are the same; nothing above it may compare
// states in any other way.
//
// # What enters and what leaves
//
// A value enters (a node, a message, a signal). Out comes its [Hash] of 128
// bits, its text on one line or its [Line] list, its copy, or a refusal: an error
// which names the field that cannot be walked and what to do about it. Hashes are equal across processes and machines.
//
// # Words
//
//   - plan: what the walk does for one type. It is compiled once a type, by
//     reflection, and refuses a type which cannot be walked.
//   - track: the steps by which a plan's values are passed in memory.
//   - encoding: the bytes which the walk writes. It is injective and delimits
//     itself, so that equal bytes mean equal values; the hash is of these bytes.
//   - tree: the same walk for the reader. [Walker.Text] prints it on a line,
//     [Walker.Lines] flattens it. The tree differs where the encoding differs.
//   - inline: a value which lies inside another (a field, an element), as
//     against one reached through a pointer.
//   - identity: which object a pointer or a map leads to. It is part of the
//     value: shared differs from equal-but-apart.
//   - left out: a value which contributes nothing, by the tag `mc:"-"`, by an
//     Opaque rule or by Options.Skip.
//   - rule: a line of Options.Opaque or Options.Immutable.
//   - immutable: a value that never changes once it is made. It counts by its content,
//     without identity, and copies share it (content.go).
//   - present: the instant of a root value from which its times count.
//   - block: memory that a pointer or a slice leads to, as a copy meets it.
//   - summary: what a [Summarizer] puts in its own place.
//
// # What is promised
//
// Two values have equal encodings exactly if they have the same dynamic type
// and the same contents, all unexported fields included, where
//
//   - maps have no order, and nil differs from empty for maps and slices; the
//     capacity of a slice, padding and fields named _ do not count;
//   - floats count by their bits: -0 differs from +0 and NaN payloads are kept;
//   - an interface counts its dynamic type by full package path and name, with
//     type arguments;
//   - pointers and maps count by their identity: the second time an object is
//     met, the walk writes the number of the first visit. A pointer to a field
//     or an element which the walk also meets inline is such a second visit, in
//     either order. So cycles end, and a cycle differs from its unrolling;
//   - an unheld sync.Mutex or sync.RWMutex contributes nothing; types of
//     sync/atomic count as their value;
//   - a time.Time counts by its two clock words, raw (so the monotonic reading
//     counts) and by the name of its location; or by its distance from the present,
//     where Options.Now says that there is one, the zero time apart.
//
// Where a map's values may have identity, its entries are visited in the order
// of their keys' encodings, so that first visits do not depend on the order of
// iteration. Otherwise the encoding of a map is the sum of its entries' hashes.
//
// # What is refused
//
// Functions, channels, uintptr and unsafe.Pointer by their type (a nil one too:
// what the field may hold later would be lost); held mutexes; map keys which
// are or hold pointers; values nested deeper than 50,000 levels, such as
// a slice which contains itself; and two types of one full name (declared
// inside functions) behind interfaces.
//
// # Copies
//
// [Walker.Copy] says what a copy has in common with the original and what not. A copy is made in
// one pass. If two of the blocks that it met overlap (a pointer into a struct,
// slices of one array), it is made again, with all memory in place.
//
// A function value in what is left out is copied so: one without variables is
// shared. A method value is, in memory, a struct of its code and its receiver, of a
// type that its name tells; it is copied as that, so that it belongs to the copy
// (funcs.go). Any other closure is refused, since nobody but the compiler knows what
// it holds, and so are method values where functions are not known: [Slow].
// [Walker.Bound] says before what Copy would refuse, or would share.
//
// # Finding
//
// [Walker.Finder] finds all values of some types where the walk meets them, so that
// a runtime can change them in place: names that it gave out, and numbers anew.
//
// # How a value is walked
//
// Reflection says once a type where its parts lie (plan.go, copyplan.go). From
// then on the walk reads memory where it lies, by offsets (track.go, encode.go,
// copy.go): adjacent scalars without padding are one run, and lists of them too.
// The text, which nobody waits for, is made by reflection all along (tree.go).
//
// Two things cannot be read so, since the language does not promise where they
// lie: what an interface holds, and the entries of a map. (A third, to what a method
// value is bound, is asked for copies alone.) For these there are two
// answers side by side (runtime.go). Reflection opens interfaces and iterates
// over maps, into scratch memory of the Walker. The room canon/fast knows the
// words of interfaces and the groups of maps, where the sources of the Go release
// were read and its self-test passed: then entries are read where they lie,
// hashed from registers where they are two numbers, and maps are copied group by
// group, with the seed of the original. Bytes, hashes, texts and copies are the
// same in both ways; [Slow] says why the second is not used.
//
// # Known limits
//
//   - Slices which share a backing array are walked apart: this sharing does
//     not count, although appending to one of them may change another. Whether
//     it does depends on capacities, which are no part of a value: they differ
//     with the way on which it was made, so counting them would tell equal
//     values apart. Neither does a pointer seen under a converted type (a *A and
//     a *B to one object).
//   - Pointers to values of size zero have no identity (the language gives
//     them none).
//   - A pointer to a package variable counts by what it points to: io.EOF
//     hashes as any other error of that text.
//   - A type tag of 64 bits stands for a dynamic type, and the sum of 128-bit
//     hashes for a map's entries: equality is up to collisions of these. Types
//     whose tags collide in one Walker are refused.
//   - A struct which embeds an implementation of a Skip interface is walked
//     without that field, rather than left out: its own fields may be state.
//   - What a Summary leaves out cannot be told apart.
//   - The text of a Named type is its String: it must tell its values apart.
//   - When two types behind interfaces have one short name, the first that a
//     Walker meets keeps it in texts and the other shows its full path.
//   - A copy of a pointer to a package variable leads to a copy of the variable:
//     comparing it with the variable's address gives false. Errors made by
//     errors.New, which are compared so, are shared instead.
//   - A value that implements a Skip interface by methods of its own, not by
//     embedding, is shared by all copies with all that it leads to: a layer that
//     keeps such an Env must make it anew when it is entered.
//   - What is reached through a shared value is shared, even if another way to it
//     is copied. Functions are not shared where they have variables: see below.
//   - Memory that unsafe code shows as lists of two types which overlap in part
//     cannot be copied.
//   - Lines do not name the root's own type; Text does.
//
// # The hash function
//
// It is XXH3 with 128 bits (github.com/zeebo/xxh3): process-independent, which
// hash/maphash is not, vectorised for long inputs and among the fastest for
// short ones.
package canon
