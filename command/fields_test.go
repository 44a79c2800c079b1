package command

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"macemc/internal/search"
	"macemc/live"
	"macemc/sim"
)

// The library's error names Config.Public, and the command names its flag.
func TestErrorsNameFlags(t *testing.T) {
	book := filepath.Join(t.TempDir(), "book")
	if err := os.WriteFile(book, []byte("n0 192.0.2.1:7000\nn1 192.0.2.2:7000\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, stderr, status := execute("live", "handshake", "--id", "0", "--book", book)
	if status != 2 || !strings.Contains(stderr, "unless --public is set") || strings.Contains(stderr, "Config.") {
		t.Errorf("status %d: %s", status, stderr)
	}
}

// Each name in flagOf is a field of the library, and its flag is one of live or of search.
func TestFlagOf(t *testing.T) {
	types := map[string]reflect.Type{"Config": reflect.TypeFor[live.Config](), "Params": reflect.TypeFor[sim.Params](), "Options": reflect.TypeFor[search.Options]()}
	help := ""
	for _, name := range []string{"live", "search"} {
		text, _, _ := execute(name, "--help")
		help += text
	}
	for field, flag := range flagOf {
		of, name, _ := strings.Cut(field, ".")
		if _, is := types[of].FieldByName(name); !is {
			t.Errorf("there is no field %s", field)
		}
		flag, _, _ = strings.Cut(flag, " ")
		if !strings.Contains(help, flag+" ") {
			t.Errorf("neither live nor search has a flag %s", flag)
		}
	}
}

// The fields of the bounds that search has as flags are in flagOf, with these flags.
func TestFlagsOfBounds(t *testing.T) {
	for _, name := range []string{
		"nodes", "early", "depth", "step", "walk-steps", "max-walk-steps", "walk-least", "evidence-walks", "explain-effort",
		"paths", "findings", "print-prefixes", "steady", "workers", "hash-bits",
	} {
		if field := search.Bounded(name).Field; inFlags(field) != "--"+name {
			t.Errorf("the flag of %s is %s, not --%s", field, inFlags(field), name)
		}
	}
}
