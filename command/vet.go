package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"macemc/internal/vet"
)

func (t *tool) vetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "vet [PACKAGE...]",
		Short: "report code in handlers that a replay cannot repeat, and messages that are changed after a send",
		Long: `vet reads the source of a service, and reports errors that a search would meet late or
not at all: clocks, random numbers, goroutines, channels, locks, output and the end of
the process in handlers, sends in the order of a map, messages that are changed or
kept, package variables that are written, and switches without a default that panics.
It looks at each package by itself; with no PACKAGE, at the one in this folder.

A comment suppresses one report and gives the reason:

	//macemc:allow print: once, when the node begins

The checks are:

	` + checkList() + `

The flags of go vet may stand before the packages; -results=all reports each TCP send
whose result is dropped, and not only those in loops. The command also works as a tool
of go vet: go vet -vettool=$(which macemc) ./...`,
		Example: `
macemc vet ./...
macemc vet -json ./...`,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if slices.Contains(args, "--help") || slices.Contains(args, "-h") {
				return cmd.Help()
			}
			return t.vet(args)
		},
	}
}

// checkList returns the checks of vet, as lines of a help text.
func checkList() string {
	return strings.Join(vet.Checks[:len(vet.Checks)/2], ", ") + "\n\t" + strings.Join(vet.Checks[len(vet.Checks)/2:], ", ")
}

// reported matches a line of go vet about a place in the source. Errors about packages that do not
// exist, or do not compile, have no place, or begin with "vet: ".
var reported = regexp.MustCompile(`(?m)^[^:\n]+\.go:\d+:\d+: `)

// vet runs go vet with these arguments, which calls this program for each package.
func (t *tool) vet(args []string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("the file of this program, which go vet has to call, cannot be found: %w", err)
	}
	goes := exec.Command("go", append([]string{"vet", "-vettool=" + self}, args...)...)
	var errs bytes.Buffer
	goes.Stdout, goes.Stderr = t.stdout, io.MultiWriter(t.stderr, &errs)
	var exit *exec.ExitError
	switch err := goes.Run(); {
	case errors.As(err, &exit) && reported.Match(errs.Bytes()):
		t.status = exitFound
	case errors.As(err, &exit):
		t.status = exitInput
	case err != nil:
		return fmt.Errorf("vet needs the go command: %w", err)
	}
	return nil
}
