package command

import (
	"github.com/spf13/cobra"

	"macemc/internal/report"
	"macemc/sim"
)

func (t *tool) listCommand() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "list [SYSTEM]",
		Short: "list the systems, or describe one of them",
		Long: `list prints the systems: their numbers of nodes, parameters, properties, and the
known bugs that can be switched on. With a SYSTEM it prints everything about that one.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("list takes one SYSTEM, or none for all; got %d arguments", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			systems := t.Systems
			if len(args) == 1 {
				sys, err := t.find(args[0])
				if err != nil {
					return err
				}
				systems = []*sim.System{sys}
			}
			switch {
			case asJSON:
				return report.SystemsJSON(t.stdout, systems)
			case len(args) == 1:
				return report.System(t.stdout, systems[0])
			default:
				return report.Systems(t.stdout, systems)
			}
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}
