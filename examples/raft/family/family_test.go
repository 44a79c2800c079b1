package main

import (
	"go/format"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"macemc/internal/long"
)

// Every family can be written from the base as it is now, and is formatted. With -long all are
// built.
func TestFamilies(t *testing.T) {
	for _, name := range names() {
		made, err := generate("../core/"+base, name)
		if err != nil {
			t.Fatal(err)
		}
		for file, text := range made {
			if strings.Contains(text, `"`+basePath) {
				t.Errorf("%s: %s imports the base's library", name, file)
			}
			if !strings.HasSuffix(file, ".go") {
				continue
			}
			if tidy, err := format.Source([]byte(text)); err != nil || string(tidy) != text {
				t.Errorf("%s: %s is not formatted (%v)", name, file, err)
			}
		}
		if *long.On {
			build(t, name)
		}
	}
}

func build(t *testing.T, name string) {
	folder := t.TempDir()
	core := filepath.Join(folder, "core")
	for _, line := range []string{
		"go run -C .. ./family " + name + " " + core,
		"cp ../go.mod ../go.sum " + folder,
		"go mod edit -droprequire go.etcd.io/raft/v3 -replace macemc/examples/raft/core=" + core + " " + folder + "/go.mod",
		"go build -C .. -mod=mod -modfile " + folder + "/go.mod -o " + folder + "/check ./check",
	} {
		words := strings.Fields(line)
		if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
}
