package main

import (
	"encoding/csv"
	"fmt"
	"image/color"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"macemc/systems/pastry"
	"macemc/systems/randtree"
	"macemc/systems/transport"
)

// A system is a setting of the second figure, with its line in the figure and the result in the
// paper.
type system struct {
	setting
	colour color.Color
	dashes []vg.Length
	paper  string // the share of paths that are live within 50 steps, according to the paper
}

func systems() []system {
	return []system{
		{setting{name: "transport, 2 nodes", system: transport.System, nodes: 2}, color.Black, []vg.Length{vg.Points(1.5), vg.Points(2.5)}, "60 %"},
		{setting{name: "randtree, 8 nodes", system: randtree.System, nodes: 8}, color.RGBA{R: 0xd9, G: 0x5f, B: 0x02, A: 0xff}, nil, "less than 1 %"},
		{setting{name: "pastry, 8 nodes", system: pastry.System, nodes: 8, params: []string{"leaves=4"}},
			color.RGBA{R: 0x00, G: 0x5a, B: 0xb5, A: 0xff}, []vg.Length{vg.Points(5), vg.Points(3)}, "none"},
	}
}

// runSystems takes weighted walks without faults of each system, and writes their figure, its
// data and a table.
func runSystems(out string, count, most int, table io.Writer) error {
	var curves []*curve
	for _, s := range systems() {
		c, err := take(s.setting, true, count, most)
		if err != nil {
			return err
		}
		curves = append(curves, c)
	}
	if err := write(filepath.Join(out, "systems.csv"), func(w io.Writer) error { return systemsData(w, curves) }); err != nil {
		return err
	}
	if err := write(filepath.Join(out, "systems.svg"), func(w io.Writer) error { return drawSystems(w, curves) }); err != nil {
		return err
	}
	return systemsRows(table, curves)
}

func systemsData(w io.Writer, curves []*curve) error {
	out := csv.NewWriter(w)
	out.Write([]string{"system", "nodes", "walk", "steps"})
	for _, c := range curves {
		for _, s := range c.byNumber() {
			out.Write([]string{c.setting.system.Name, strconv.Itoa(c.setting.nodes), strconv.Itoa(s.Number), strconv.Itoa(s.Steps)})
		}
	}
	out.Flush()
	return out.Error()
}

// systemsRows prints the table in BENCHMARKS.md.
func systemsRows(w io.Writer, curves []*curve) error {
	var b strings.Builder
	fmt.Fprintln(&b, "\n| system | became live | within 50 steps | the paper's | half of them within | nine tenths | all but a hundredth |")
	fmt.Fprintln(&b, "|---|---:|---:|---:|---:|---:|---:|")
	for i, c := range curves {
		soon := 0
		for _, n := range c.sorted(steps) {
			if n <= 50 {
				soon++
			}
		}
		fmt.Fprintf(&b, "| %s | %d of %d | %.1f %% | %s | %s steps | %s steps | %s steps |\n", c.setting.name, len(c.live), c.taken,
			100*float64(soon)/float64(c.taken), systems()[i].paper, c.within(steps, 0.5), c.within(steps, 0.9), c.within(steps, 0.99))
		if c.failed > 0 {
			return fmt.Errorf("%s: in %d of %d walks the service failed; search it", c.setting.name, c.failed, c.taken)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func drawSystems(w io.Writer, curves []*curve) error {
	p := plot.New()
	p.X.Label.Text = "steps to a live state"
	p.Y.Label.Text = "share of walks"
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 10, 10_000, 0, 1 // the paper's axes
	p.Legend.Left, p.Legend.XOffs, p.Legend.YOffs = true, vg.Points(6), vg.Points(6)
	p.Legend.TextStyle.Font.Size = vg.Points(10)
	p.Legend.Padding = vg.Points(2)
	p.Legend.Top = true
	p.Add(plotter.NewGrid())
	for i, c := range curves {
		l, err := plotter.NewLine(c.distribution(steps, int(p.X.Min), int(p.X.Max)))
		if err != nil {
			return err
		}
		l.StepStyle, l.Width = plotter.PostStep, vg.Points(1.8)
		l.Color, l.Dashes = systems()[i].colour, systems()[i].dashes
		p.Add(l)
		p.Legend.Add(c.setting.name, l)
	}
	canvas := vgsvg.New(6*vg.Inch, 3.6*vg.Inch)
	dc := draw.New(canvas)
	dc.SetColor(color.White)
	dc.Fill(dc.Rectangle.Path())
	p.Draw(draw.Crop(dc, vg.Points(8), -vg.Points(16), vg.Points(8), -vg.Points(8)))
	_, err := canvas.WriteTo(w)
	return err
}
