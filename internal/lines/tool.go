package lines

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// asTool says to this program that the go command runs it in the place of a tool,
// and which files of an overlay stand where: the tool for coverage, which gets the
// names of files, knows of no overlay.
const asTool = "MACEMC_LINES_TOOL"

// Tool runs a tool of Go, where this process was started for that; the process ends
// with its exit status.
func Tool() {
	text := os.Getenv(asTool)
	if text == "" || len(os.Args) < 2 {
		return
	}
	var overlay struct{ Replace map[string]string }
	if err := json.Unmarshal([]byte(text), &overlay); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	args := os.Args[2:]
	for i, arg := range args {
		if is := overlay.Replace[arg]; is != "" {
			args[i] = is
		}
	}
	cmd := exec.Command(os.Args[1], args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(cmd.ProcessState.ExitCode())
}
