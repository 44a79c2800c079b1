package account

import (
	"os"
	"path/filepath"
	"testing"
)

// A file of another module is named by the path of that module.
func TestFileName(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("// a library\nmodule example.com/lib\n\ngo 1.26\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs("source.go")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		filepath.Join(dir, "rpc", "rpc.go"): "example.com/lib/rpc/rpc.go",
		here:                                "internal/account/source.go",
		"/nowhere/x.go":                     "/nowhere/x.go",
	} {
		if got := fileName(name); got != want {
			t.Errorf("%s is named %s, want %s", name, got, want)
		}
	}
}
