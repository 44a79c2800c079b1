package command

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

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

// Each name in flagOf is a field of the library and a flag of live.
func TestFlagOf(t *testing.T) {
	types := map[string]reflect.Type{"Config": reflect.TypeFor[live.Config](), "Params": reflect.TypeFor[sim.Params]()}
	help, _, _ := execute("live", "--help")
	for i := 0; i < len(flagOf); i += 2 {
		of, field, _ := strings.Cut(flagOf[i], ".")
		if _, is := types[of].FieldByName(field); !is {
			t.Errorf("there is no field %s", flagOf[i])
		}
		if !strings.Contains(help, flagOf[i+1]) {
			t.Errorf("live has no flag %s", flagOf[i+1])
		}
	}
}
