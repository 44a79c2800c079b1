package lines

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// asTool is the environment variable that makes this program run Go's coverage tool: the go command calls
// it in place of that tool. The variable lists the files of an overlay and what replaces them, since the
// coverage tool does not know about overlays.
const asTool = "MACEMC_LINES_TOOL"

// Tool runs a tool of Go, if the go command has called this program in place of it, and then ends the
// process with the tool's exit status. Otherwise it does nothing.
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
