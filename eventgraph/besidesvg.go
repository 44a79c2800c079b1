package eventgraph

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// SVG draws the two runs side by side, from a few steps before they part.
func (b *Beside) SVG(w io.Writer, part Part) error {
	before, rows, after := b.apart(part, 4)
	rows, left := b.shortened(rows, part.Whole)
	var here, there []pictureRow
	add := func(h, t pictureRow) { here, there = append(here, h), append(there, t) }
	if before > 0 {
		add(pictureRow{point: none, left: b.leading(before)}, pictureRow{point: none})
	}
	split := none
	for i, r := range rows {
		if b.split(r) {
			split = len(here)
		}
		if left[i] > 0 {
			add(pictureRow{point: none, left: fmt.Sprintf("%d steps, the same in both", left[i])}, pictureRow{point: none})
			continue
		}
		add(pictureRow{point: r.here}, pictureRow{point: r.there})
	}
	if after > 0 {
		add(pictureRow{point: none, left: more(after, "row")}, pictureRow{point: none})
	}
	var drawn strings.Builder
	out := bufio.NewWriterSize(&drawn, 1<<16)
	p := newPicture(out, b.Here, "here: "+b.Here.Marks.Title, here, b.Here.drawn(part, lanesMost), 0)
	q := newPicture(out, b.There, "there: "+b.There.Marks.Title, there, b.There.drawn(part, lanesMost), p.wide+margin)
	layRows(p, q)
	canvas(out, q.from+q.wide, p.high)
	for _, one := range []*picture{p, q} {
		one.draw()
	}
	if split != none {
		y := p.y(split) - rowHigh/2
		fmt.Fprintf(out, `<path class="part" d="M0 %s H%s"/><text class="part-word" x="%s" y="%s">they part here</text>`+"\n",
			pixels(y), pixels(q.from+q.wide), pixels(q.from+q.wide-margin), pixels(y-4))
	}
	fmt.Fprintf(out, `<path class="fold" d="M%s 0V%s"/>`+"\n</svg>\n", pixels(q.from-margin/2), pixels(p.high))
	out.Flush()
	return paint(w, drawn.String())
}
