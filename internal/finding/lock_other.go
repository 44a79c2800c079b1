//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package finding

// lock takes no lock: folders have none here, and nothing is ever swept.
func lock(string) (release func(), ours bool) { return func() {}, false }
