package report

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"macemc/internal/charts"
)

// TestCharts: a machine of two states, in all formats, has the counted numbers, and marks the events that
// never happened. No name is taken for markup.
func TestCharts(t *testing.T) {
	c := &charts.Chart{
		Name: "do<b>or", States: []string{"shut", "open\"; }"}, Events: []string{"push", "pull"},
		Pairs: []charts.Reaction{
			{Kind: charts.ReactionHandle, To: []int{1}}, {Kind: charts.ReactionIgnore},
			{Kind: charts.ReactionDefer}, {Kind: charts.ReactionHandle, To: []int{0}, Pops: true},
		},
		Enters: [][]int{nil, {0}},
	}
	var tally, other charts.Tally
	tally.Add(c)
	for range 3 {
		other.Took(c, 0, 0)
		other.Moved(c, 0, 1)
	}
	tally.Took(c, 1, 1)
	tally.Merge(&other)
	for _, form := range []struct {
		name  string
		write func(io.Writer, []charts.Counted) error
		want  []string
		not   string
	}{
		{"mermaid", ChartMermaid, []string{"m0s0 --> m0s1 : push (3)", "m0s0 --> m0s0 : pull ignored (0)", "m0s1 --> m0s0 : pull pops (1)", "m0s1 --> m0s0 : entry"}, "<b>"},
		{"dot", ChartDOT, []string{`m0s0 -> m0s1 [label="push (3)"]`, `m0s1 -> m0s1 [label="push deferred (0)", color="#cf222e"`, `[label="open\"; }"]`}, "\"open\"; }\""},
		{"html", ChartHTML, []string{"do&lt;b&gt;or", "<td>handled → open&#34;; }, 3</td>", `<td class="never">ignored, 0</td>`, ">3</text>"}, "<b>"},
	} {
		var out bytes.Buffer
		if err := form.write(&out, tally.Charts()); err != nil {
			t.Fatal(err)
		}
		for _, want := range form.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s has no %q:\n%s", form.name, want, &out)
			}
		}
		if strings.Contains(out.String(), form.not) {
			t.Errorf("%s has %q:\n%s", form.name, form.not, &out)
		}
		if _, svg, is := strings.Cut(out.String(), "<svg"); is {
			svg, _, _ = strings.Cut(svg, "</svg>")
			if err := xml.Unmarshal([]byte("<svg"+svg+"</svg>"), new(struct{})); err != nil {
				t.Errorf("the drawing is no XML: %v", err)
			}
		}
	}
}
