package transcript

import (
	"fmt"
	"strings"
	"testing"
)

func handler() Handler {
	commands := 0
	return func(t *testing.T, d *Data) string {
		commands++
		switch d.Cmd {
		case "count":
			Allow(t, d)
			return fmt.Sprint(commands)
		case "args":
			Allow(t, d, "word", "int", "ints")
			return fmt.Sprintf("%q %d %v", Word(d, "word", "none"), Int(t, d, "int", -1), Ints(t, d, "ints"))
		case "panic":
			Allow(t, d)
			return Try(func() string { panic(strings.ToUpper(d.Input)) })
		default:
			d.Fatalf(t, "no command %q", d.Cmd)
			return ""
		}
	}
}

func TestFolder(t *testing.T) { RunFresh(t, "testdata", handler) }

func TestFile(t *testing.T) { Run(t, "testdata/first.txt", handler()) }
