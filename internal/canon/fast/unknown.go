//go:build !go1.26 || go1.28 || !(amd64 || arm64 || loong64 || ppc64le || riscv64) || canonslow

package fast

// Known is false: nobody has checked how this Go release lays out maps and interfaces on this machine, or the
// build tag canonslow was given.
const Known = false
