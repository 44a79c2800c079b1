// Command family writes the adapter of an older family of raft's API: what stands between
// the driver and the library is written once, in core/raft36, and a family is its
// differences from the next one.
//
//	go run ./family etcd34 /tmp/core
//	go mod edit -droprequire go.etcd.io/raft/v3 -replace macemc/examples/raft/core=/tmp/core
//	go run -mod=mod ./check search raft
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fail(fmt.Errorf("usage: family NAME FOLDER; NAME is %s", strings.Join(names(), ", ")))
	}
	made, err := generate(filepath.Join("core", base), os.Args[1])
	fail(err)
	fail(os.MkdirAll(os.Args[2], 0o777))
	for name, text := range made {
		fail(os.WriteFile(filepath.Join(os.Args[2], name), []byte(text), 0o666))
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "family:", err)
		os.Exit(2)
	}
}

func names() (all []string) {
	for _, f := range families {
		all = append(all, f.name)
	}
	return all
}

// generate returns the files of a family, made from those of the base in a folder.
func generate(folder, name string) (map[string]string, error) {
	last := slices.Index(names(), name)
	if last < 0 {
		return nil, fmt.Errorf("there is no family %q; there are %s", name, strings.Join(names(), ", "))
	}
	files, path := map[string]string{}, basePath
	for _, file := range []string{"core.go", "clock.go", "disk.go"} {
		text, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil {
			return nil, err
		}
		files[file] = string(text)
	}
	for _, f := range families[:last+1] {
		for file := range files {
			files[file] = strings.ReplaceAll(files[file], path, f.path)
		}
		path = f.path
		for _, d := range f.differences {
			if strings.Count(files[d.file], d.old) != 1 {
				return nil, fmt.Errorf("%s: %s has not once what it is to differ in: %q; change family/families.go as the base was changed", f.name, d.file, d.old)
			}
			files[d.file] = strings.Replace(files[d.file], d.old, d.now, 1)
		}
	}
	f := families[last]
	files["go.mod"] = fmt.Sprintf("module macemc/examples/raft/core\n\ngo 1.26.0\n\nrequire %s %s\n", f.module, f.version)
	return files, nil
}
