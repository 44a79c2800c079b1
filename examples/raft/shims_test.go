package raft

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What stands between the driver and the families of the library's API is written once for
// each, since import paths are all that some of them differ in, and Go has no other way to say
// that. What is alike stays alike: a mend of one is a mend of all.
func TestFamiliesAreAlike(t *testing.T) {
	paths := map[string]string{
		"etcd33": "github.com/coreos/etcd/raft", "etcd34": "go.etcd.io/etcd/raft",
		"etcd35": "go.etcd.io/etcd/raft/v3", "raft36": "go.etcd.io/raft/v3",
	}
	code := func(family, file string) string {
		text, err := os.ReadFile(filepath.Join("core", family, file))
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, "//") { // which says what the family is
				lines = append(lines, strings.ReplaceAll(line, paths[family], "the library"))
			}
		}
		return strings.Join(lines, "")
	}
	for file, families := range map[string][]string{
		"disk.go":  {"etcd33", "etcd34", "etcd35", "raft36"},
		"core.go":  {"etcd34", "etcd35"},
		"clock.go": {"etcd33", "etcd34", "etcd35", "raft36"},
	} {
		for _, family := range families[1:] {
			if code(family, file) != code(families[0], file) {
				t.Errorf("core/%s/%s and that of core/%s differ in more than the library's path", family, file, families[0])
			}
		}
	}
}
