package command

import "strings"

// flagOf are the flags for the fields that errors of the library name. An error that leaves
// this program names flags, since its user has not written the fields.
var flagOf = []string{
	"Config.Public", "--public",
	"Params.Nodes", "--nodes",
}

// inFlags returns the text of an error with flags in place of fields.
func inFlags(err error) string { return strings.NewReplacer(flagOf...).Replace(err.Error()) }
