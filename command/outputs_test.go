package command

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"macemc/internal/search"
)

// In a workflow of GitHub, and only there, findings are annotated without a flag. The annotation names a file
// relative to the root of the repository, even if the module is in a folder below it.
func TestGitHubByDefault(t *testing.T) {
	repository := t.TempDir()
	module := filepath.Join(repository, "deep", "module")
	if err := os.MkdirAll(module, 0o777); err != nil {
		t.Fatal(err)
	}
	put(filepath.Join(module, "go.mod"), "module m\n")
	t.Chdir(module)
	for _, c := range []struct {
		actions, workspace string
		flags              []string
		want               string // how the annotation begins; "" means that there is none
	}{
		{"", "", nil, ""},
		{"false", "", nil, ""},
		{"true", "", nil, "::error file=systems/handshake/node.go,line="},
		{"true", repository, nil, "::error file=deep/module/systems/handshake/node.go,line="},
		{"true", module, nil, "::error file=systems/handshake/node.go,line="},
		{"true", t.TempDir(), nil, "::error file=systems/handshake/node.go,line="},
		{"true", "", []string{"--github=false"}, ""},
		{"", "", []string{"--github"}, "::error file="},
		{"true", "", []string{"--json"}, "::error file="},
	} {
		var out, errs bytes.Buffer
		env := map[string]string{"GITHUB_ACTIONS": c.actions, "GITHUB_WORKSPACE": c.workspace}
		tool := &tool{Program: whole(), calling: calling{Name: "macemc"}, stdout: &out, stderr: &errs, getenv: func(name string) string { return env[name] }}
		status := tool.run(append([]string{"search", "handshake", "--bug", "HS1"}, c.flags...))
		got := errs.String()
		if status != exitFound || !strings.HasPrefix(got, c.want) || (c.want == "") != (got == "") || strings.Contains(out.String(), "::error") {
			t.Errorf("%v: exit %d, standard error %q", c, status, got)
		}
	}
}

// The summary of a job gets the report, below what others wrote.
func TestGitHubSummary(t *testing.T) {
	t.Chdir(t.TempDir())
	put("summary.md", "before\n")
	var out, errs bytes.Buffer
	env := map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": "summary.md"}
	tool := &tool{Program: whole(), calling: calling{Name: "macemc"}, stdout: &out, stderr: &errs, getenv: func(name string) string { return env[name] }}
	tool.run(words("search handshake --bug HS1 --quiet"))
	if got, want := get(t, "summary.md"), "before\n"+get(t, "macemc-findings/handshake-HS1-1/report.md")+"\n"; got != want {
		t.Errorf("the summary is\n%s", got)
	}
	env["GITHUB_STEP_SUMMARY"] = "no/such/folder"
	errs.Reset()
	if status := tool.run(words("search handshake --bug HS1 --quiet")); status != exitFound || !strings.Contains(errs.String(), "macemc: the summary of the job cannot be written: ") {
		t.Errorf("exit %d, standard error %q", status, errs.String())
	}
}

// A file that cannot be written is reported even if nothing was found. Nothing is left of
// it, and a file that was there stays.
func TestOutputUnwritable(t *testing.T) {
	t.Chdir(t.TempDir())
	sys := sleeper()
	params, err := sys.Configure(0, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &search.Result{System: sys, Params: params, Safety: search.Safety{State: search.StateBounded}, Liveness: search.Liveness{State: search.StateNone}, Stop: search.StopDepth}
	var out, errs bytes.Buffer
	tool := &tool{Program: whole(), calling: calling{Name: "macemc"}, stdout: &out, stderr: &errs}
	tool.conclude(r, searchFlags{outputs: outputs{junit: "folder/junit.xml"}}, nil)
	if tool.status != exitInput || !strings.HasPrefix(errs.String(), "macemc: folder/junit.xml cannot be written: ") || strings.Count(errs.String(), "\n") != 1 || out.Len() == 0 {
		t.Errorf("exit %d, standard error %q", tool.status, errs.String())
	}
	put("there", "as it was")
	broken := errors.New("broken")
	err = replaceFile("there", func(w io.Writer) error {
		_, _ = io.WriteString(w, "half of")
		return broken
	})
	files, _ := filepath.Glob(".*")
	if !errors.Is(err, broken) || get(t, "there") != "as it was" || len(files) > 0 {
		t.Errorf("%v, %q, and %v is left", err, get(t, "there"), files)
	}
}
