package tui

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"
)

// The picture of the screen in docs/debugging.md is the same as the screen draws now. -rewrite draws it anew.
func TestPicture(t *testing.T) {
	file, err := filepath.Abs("../../docs/figures/mdb.svg")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("../../docs/examples/randtree-RT13")
	k := newDesk(t, open(t, "error.path"), 118, 30, true)
	for _, name := range keys("c 4") {
		k.model.Handle(key(name))
	}
	k.model.Draw(k.screen)
	k.screen.Show()
	picture := k.svg("The screen of mdb at the critical step of a finding")
	if flag.Lookup("rewrite").Value.String() == "true" {
		if err := os.WriteFile(file, picture, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	old, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(old, picture) {
		t.Errorf("docs/figures/mdb.svg is not the screen of today (%v); go test ./mdb/tui -run TestPicture -rewrite draws it", err)
	}
}

// palette are the colours of a light terminal.
var palette = map[tcell.Color]string{
	tcell.ColorGray: "#6e7781", tcell.ColorMaroon: "#82071e", tcell.ColorGreen: "#1a7f37", tcell.ColorOlive: "#9a6700",
	tcell.ColorRed: "#cf222e", tcell.ColorNavy: "#0a3069", tcell.ColorWhite: "#ffffff", tcell.ColorTeal: "#1b7c83",
	tcell.ColorPurple: "#8250df", tcell.ColorBlue: "#0969da",
}

// svg returns the screen as a picture: a text for each stretch of one style, with a width of its
// own, so that columns meet in any font.
func (k *desk) svg(title string) []byte {
	const wide, high, size = 8, 17, 13
	cells, width, height := k.screen.GetContents()
	var b bytes.Buffer
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" xml:space=\"preserve\" viewBox=\"0 0 %[1]d %[2]d\" width=\"%[1]d\" height=\"%[2]d\" role=\"img\" aria-labelledby=\"t\">\n", wide*width, high*height)
	fmt.Fprintf(&b, "<title id=\"t\">%s</title>\n<style>text{font:%dpx ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre}</style>\n", html.EscapeString(title), size)
	fmt.Fprintf(&b, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", wide*width, high*height)
	for y := range height {
		row := cells[y*width : (y+1)*width]
		for x := 0; x < width; {
			from, style := x, row[x].Style
			var text strings.Builder
			for ; x < width && row[x].Style == style; x++ {
				text.WriteString(cmp.Or(string(row[x].Runes), " "))
			}
			fore, back, more := looks(style)
			if back != "" {
				fmt.Fprintf(&b, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n", wide*from, high*y, wide*(x-from), high, back)
			}
			line := strings.TrimRight(text.String(), " ")
			start := len(line) - len(strings.TrimLeft(line, " "))
			if line = line[start:]; line != "" {
				fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" textLength=\"%d\" fill=\"%s\"%s>%s</text>\n",
					wide*(from+start), high*y+size, wide*uniseg.StringWidth(line), fore, more, html.EscapeString(line))
			}
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// looks returns the colours of a style, and its other attributes. back is "" for the background.
func looks(s tcell.Style) (fore, back, more string) {
	f, g, attr := s.Decompose()
	fore, back = cmp.Or(palette[f], "#24292f"), palette[g]
	if attr&tcell.AttrReverse != 0 {
		fore, back = cmp.Or(back, "#ffffff"), fore
	}
	if attr&tcell.AttrBold != 0 {
		more += ` font-weight="bold"`
	}
	if attr&tcell.AttrUnderline != 0 {
		more += ` text-decoration="underline"`
	}
	return fore, back, more
}
