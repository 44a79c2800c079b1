package kinds

import (
	"strings"
	"testing"
)

// TestRows checks that every row of the table is complete.
func TestRows(t *testing.T) {
	names := map[string]bool{}
	for k := range rows {
		r := &rows[k]
		if names[r.Name] != (r.Name == "refused" && k > 0) {
			t.Errorf("two rows have the name %s", r.Name)
		}
		names[r.Name] = true
		if r.Name == "" || r.Text == "" || r.Tells == "" || r.Class == "" {
			t.Errorf("the row of %q has no name, no identity, no sentence or no picture", r.Name)
		}
		if r.Budget != "" && r.Weight != 0 {
			t.Errorf("a fault is rare, and %s has the weight %v", r.Name, r.Weight)
		}
		for _, template := range []string{r.Text, r.Tells} {
			if strings.Count(template, "{") != strings.Count(template, "}") {
				t.Errorf("%q has a gap that does not end", template)
			}
		}
	}
}

func TestFill(t *testing.T) {
	fill := func(gap string) string { return strings.ToUpper(gap) + "{node}" }
	for template, want := range map[string]string{
		"": "", "mend": "mend", "{node}": "NODE{node}", "to {a} and {b}.": "to A{node} and B{node}.",
	} {
		if got := Fill(template, fill); got != want {
			t.Errorf("%q is filled as %q, want %q", template, got, want)
		}
	}
}
