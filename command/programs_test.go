package command

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// A flag that a search of programs would ignore is an error, and one that it honours exists.
func TestProgramsRefuseFlags(t *testing.T) {
	all := (&tool{calling: calling{Name: "macemc"}}).searchCommand().Flags()
	for _, name := range programFlags {
		if all.Lookup(name) == nil {
			t.Errorf("search has no flag --%s", name)
		}
	}
	for _, name := range []string{"seed", "walk-steps", "memory", "web", "stuck"} {
		given := pflag.NewFlagSet("", pflag.ContinueOnError)
		f := *all.Lookup(name)
		given.AddFlag(&f)
		if err := given.Set(name, f.DefValue); err != nil {
			t.Fatal(err)
		}
		err := honoured(given, "ledger")
		if name == "seed" {
			if err != nil {
				t.Errorf("--seed: %v", err)
			}
		} else if err == nil || !strings.Contains(err.Error(), "--"+name+" is not for it") {
			t.Errorf("--%s: %v", name, err)
		}
	}
}
