//go:build !go1.26 || go1.28 || !(amd64 || arm64 || loong64 || ppc64le || riscv64) || canonslow

package fast

// Known says that nobody has looked at how this release of Go lays out maps and
// interfaces on this machine, or that the build tag canonslow was given.
const Known = false
