//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package finding

// lock takes no lock, since folders have no locks on this system. So nothing is ever swept.
func lock(string) (release func(), ours bool) { return func() {}, false }
