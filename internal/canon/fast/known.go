//go:build go1.26 && !go1.28 && (amd64 || arm64 || loong64 || ppc64le || riscv64) && !canonslow

package fast

// Known reports whether the layout of maps, functions and interfaces in memory was checked in the sources of
// this Go release. That was done for 64-bit machines that store the low byte first.
const Known = true
