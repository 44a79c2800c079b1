package command

import "regexp"

// flagOf maps the option fields that errors of other packages name to the flags that set them. Users of the
// command line do not know the fields, so inFlags puts the flags in their place.
var flagOf = map[string]string{
	"Config.Public": "--public",
	"Params.Nodes":  "--nodes",

	"Options.Depth":         "--depth",
	"Options.DiskReorder":   "--disk reorder",
	"Options.Early":         "--early",
	"Options.Engine":        "--engine",
	"Options.ExplainEffort": "--explain-effort",
	"Options.EvidenceWalks": "--evidence-walks",
	"Options.Findings":      "--findings",
	"Options.HashBits":      "--hash-bits",
	"Options.Ignore":        "--ignore",
	"Options.MaxWalkSteps":  "--max-walk-steps",
	"Options.Network":       "--net",
	"Options.NoWalks":       "--no-walks",
	"Options.Paths":         "--paths",
	"Options.Prefix":        "--prefix",
	"Options.Prefixes":      "--print-prefixes",
	"Options.ProfileSpace":  "--profile-space",
	"Options.Reduce":        "--reduce",
	"Options.Restarts":      "--restarts",
	"Options.Steady":        "--steady",
	"Options.Step":          "--step",
	"Options.Spill":         "--state",
	"Options.Store":         "--state",
	"Options.Symmetry":      "--symmetry",
	"Options.Visited":       "--visited",
	"Options.WalkLeast":     "--walk-least",
	"Options.WalkSteps":     "--walk-steps",
	"Options.Walking":       "--walk",
	"Options.Workers":       "--workers",
}

var fieldName = regexp.MustCompile(`\b(Config|Params|Options)\.[A-Z]\w*`)

// inFlags returns text, in which each field that is a key of flagOf is replaced by its flag.
func inFlags(text string) string {
	return fieldName.ReplaceAllStringFunc(text, func(field string) string {
		if flag, has := flagOf[field]; has {
			return flag
		}
		return field
	})
}
