//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package trail

import "os"

// unnamed returns a temporary file whose name is removed at once.
func unnamed(what string) (*os.File, error) {
	file, err := os.CreateTemp("", "macemc-"+what+"-*")
	if err != nil {
		return nil, err
	}
	return file, os.Remove(file.Name())
}
