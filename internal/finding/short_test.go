package finding

import (
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/account"
	"macemc/internal/critical"
	"macemc/internal/search"
)

// explained returns the result of a search for a bug, with the critical step of the finding and a shorter
// run.
func explained(t *testing.T, name, bug string) *search.Result {
	t.Helper()
	r := found(t, system(t, name), search.Options{}, bug)
	e, err := critical.Explain(r.System, r.Finding, critical.Options{}, true)
	if err != nil {
		t.Fatal(err)
	}
	r.Finding, r.Findings = e.Finding, []*search.Finding{e.Finding}
	return r
}

// TestReportBeginsWithTheTurn: a report names the critical step, whether the failure could be avoided, and
// the command to replay the run before its first section. If the critical step is a fault, the section
// about it comes first.
func TestReportBeginsWithTheTurn(t *testing.T) {
	for _, c := range []struct{ system, bug, critical, first string }{
		{"counter", "RP1", "**Critical step:** 5 of 5, `n1 reorder value{n: 2} (answer to 1) from n0 (place 2)`.", "## The last step"},
		{"handshake", "HS1", "**Critical step:** 4 of 4, `n1 lose confirm{} from n0`.", "## The critical transition"},
		{"chain", "CH4", " down`.", "## Could it be avoided?"},
	} {
		text := written(t, explained(t, c.system, c.bug))["report.md"]
		head, sections, _ := strings.Cut(text, "\n## ")
		for _, part := range []string{c.critical, "**Could it be avoided?** ", "**Take it again:** `macemc replay "} {
			if !strings.Contains(head, part) {
				t.Errorf("%s does not say %q before its first section:\n%s", c.bug, part, head)
			}
		}
		if !strings.HasPrefix("## "+sections, c.first) {
			t.Errorf("%s: the first section is not %q but %.40q", c.bug, c.first, sections)
		}
	}
}

// TestReportSaysTheCrashWithin: if a node crashes within the critical step, the report says so.
func TestReportSaysTheCrashWithin(t *testing.T) {
	r := explained(t, "counter", "RP1")
	step := &r.Finding.Trace.Steps[r.Finding.Critical.Step-1]
	step.Coins = append(step.Coins, choose.Choice{Kind: choose.Coin, Of: 2, Pick: 1, What: "does n1 crash within the step: after effect 2, emit called{}"})
	text := written(t, r)["report.md"]
	if want := ", in which `n1` crashes `after effect 2, emit called{}`."; !strings.Contains(text, want) {
		t.Errorf("it does not say %q:\n%.1500s", want, text)
	}
}

// TestLayersAreFolded: a report folds the source code of layers of other modules, and not that of the
// service.
func TestLayersAreFolded(t *testing.T) {
	r := explained(t, "counter", "RP1")
	tale := newTale(account.Of(r, r.Finding), r)
	for step, folded := range map[int]bool{3: true, 5: false} { // a timer of the layer, an answer
		p := &page{}
		tale.source(p, step)
		if text := p.b.String(); strings.Contains(text, "<details>") != folded || !strings.Contains(text, "```") {
			t.Errorf("step %d: folded is not %t:\n%s", step, folded, text)
		} else if kinds := elements(text); folded && kinds["HTMLBlock"] != 2 {
			t.Errorf("step %d: %v is not a block of code between two of HTML", step, kinds)
		}
	}
}
