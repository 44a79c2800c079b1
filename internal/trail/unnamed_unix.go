//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package trail

import "os"

// unnamed is a file for temporary use whose name is taken away at once.
func unnamed(what string) (*os.File, error) {
	file, err := os.CreateTemp("", "macemc-"+what+"-*")
	if err != nil {
		return nil, err
	}
	return file, os.Remove(file.Name())
}
