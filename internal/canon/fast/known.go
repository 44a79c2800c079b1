//go:build go1.26 && !go1.28 && (amd64 || arm64 || loong64 || ppc64le || riscv64) && !canonslow

package fast

// Known says that the memory of maps, functions and interfaces was read in the sources of
// this release of Go, for 64-bit machines that store the low byte first.
const Known = true
