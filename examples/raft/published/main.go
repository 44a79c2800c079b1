// Command published writes a copy of raft's library in which one fix of a published bug is
// undone, so that the driver can be searched for it:
//
//	go run ./published vote-reset /tmp/raft
//	go mod edit -replace go.etcd.io/raft/v3=/tmp/raft
//	go run ./check search raft --param proposals=0
//
// Without arguments it lists the bugs. docs/examples/published.md says what is found.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) == 1 {
		for _, b := range bugs {
			fmt.Println(b.name, strings.Join(b.flags, " "))
		}
		return
	}
	fail(write(os.Args[1:]))
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "published:", err)
		os.Exit(2)
	}
}

// write writes the copy for which the arguments ask.
func write(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: published NAME FOLDER; without arguments it lists the names")
	}
	b, err := find(args[0])
	if err != nil {
		return err
	}
	if b.core != "" {
		return fmt.Errorf("%s is in a version of the library as it was published: use core/%s", b.name, b.core)
	}
	from, err := library()
	if err != nil {
		return err
	}
	if err := os.CopyFS(args[1], os.DirFS(from)); err != nil {
		return err
	}
	for _, u := range b.undo {
		path := filepath.Join(args[1], u.file)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		undone, err := u.apply(string(text))
		if err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
		// A file of the module cache is read-only, and so is its copy.
		if err := errors.Join(os.Remove(path), os.WriteFile(path, []byte(undone), 0o666)); err != nil {
			return err
		}
	}
	return nil
}

func find(name string) (bug, error) {
	var names []string
	for _, b := range bugs {
		if b.name == name {
			return b, nil
		}
		names = append(names, b.name)
	}
	return bug{}, fmt.Errorf("there is no bug %q; there are %s", name, strings.Join(names, ", "))
}

// library returns the folder in which the go command keeps the library's module.
func library() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "go.etcd.io/raft/v3").Output()
	if err != nil {
		return "", fmt.Errorf("go list does not find the library: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// apply returns the text of the file with the fix undone.
func (u change) apply(text string) (string, error) {
	if n := strings.Count(text, u.fixed); n != 1 {
		return "", fmt.Errorf("%s has %q %d times, want once: the library is another version than %s", u.file, u.fixed, n, version)
	}
	return strings.Replace(text, u.fixed, u.broken, 1), nil
}
