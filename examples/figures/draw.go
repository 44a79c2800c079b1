package main

import (
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// These two colours can be told apart by people who see few colours, and in grey.
var colours = map[bool]color.Color{
	true:  color.RGBA{R: 0x00, G: 0x5a, B: 0xb5, A: 0xff},
	false: color.RGBA{R: 0xd9, G: 0x5f, B: 0x02, A: 0xff},
}

// drawing returns a drawing with a panel for each setting and each measure. The panels of one setting
// are side by side.
func drawing(curves []*curve) (*vgsvg.Canvas, error) {
	var panels [][]*plot.Plot
	for i := 0; i < len(curves); i += 2 {
		var row []*plot.Plot
		for _, m := range []measure{steps, choices} {
			p, err := panel(curves[i:i+2], m)
			if err != nil {
				return nil, err
			}
			row = append(row, p)
		}
		panels = append(panels, row)
	}
	c := vgsvg.New(9*vg.Inch, vg.Length(len(panels))*3.2*vg.Inch)
	dc := draw.New(c)
	dc.SetColor(color.White)
	dc.Fill(dc.Rectangle.Path())
	tiles := draw.Tiles{
		Rows: len(panels), Cols: 2,
		PadX: vg.Points(18), PadY: vg.Points(18), PadTop: vg.Points(8), PadBottom: vg.Points(8), PadLeft: vg.Points(8), PadRight: vg.Points(16),
	}
	for i, row := range plot.Align(panels, tiles, dc) {
		for j, at := range row {
			panels[i][j].Draw(at)
		}
	}
	return c, nil
}

func drawTo(w io.Writer, curves []*curve) error {
	c, err := drawing(curves)
	if err != nil {
		return err
	}
	_, err = c.WriteTo(w)
	return err
}

// panel draws the curves of one setting, by measure m.
func panel(curves []*curve, m measure) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = curves[0].setting.name
	p.X.Label.Text = m.name + " to a live state"
	p.Y.Label.Text = "share of walks"
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.Y.Min, p.Y.Max = 0, 1
	// Where no curve is; left, since the font of who looks may be a wider one.
	p.Legend.Left, p.Legend.XOffs, p.Legend.YOffs = true, 2.25*vg.Inch, vg.Points(6)
	p.Legend.TextStyle.Font.Size = vg.Points(10)
	p.Legend.Padding = vg.Points(2)
	p.X.Min, p.X.Max = 1, 10_000 // in all panels, so that they can be compared
	p.Add(plotter.NewGrid())
	for _, c := range curves {
		l, err := plotter.NewLine(c.distribution(m, int(p.X.Min), int(p.X.Max)))
		if err != nil {
			return nil, err
		}
		l.StepStyle = plotter.PostStep
		l.Width, l.Color = vg.Points(1.8), colours[c.weighted]
		if !c.weighted {
			l.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
		}
		p.Add(l)
		p.Legend.Add(c.name(), l)
	}
	return p, nil
}

// distribution returns, for each length between from and to, the share of all walks that were live
// within that length.
func (c *curve) distribution(m measure, from, to int) plotter.XYs {
	points := plotter.XYs{{X: float64(from), Y: 0}}
	all := c.sorted(m)
	for i, n := range all {
		if i+1 < len(all) && all[i+1] == n || n > to {
			continue
		}
		points = append(points, plotter.XY{X: float64(max(from, n)), Y: float64(i+1) / float64(c.taken)})
	}
	return append(points, plotter.XY{X: float64(to), Y: points[len(points)-1].Y})
}
