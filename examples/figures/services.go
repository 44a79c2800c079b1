package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"macemc/history"
	"macemc/live"
	"macemc/sim"
	"macemc/systems/collections"
	"macemc/systems/service"
	"macemc/systems/transactions"
)

// A load makes requests of a service and counts the answers over time. Each of the first askers nodes always
// has some requests that wait for an answer.
type load struct {
	sys    *sim.System
	params []string
	askers int
	next   func(node, id int) sim.Signal
	ends   func(facts int64, fact any) bool // reports whether fact, the fact with number facts of its node, ends a request
}

func table(over string, faults int) load {
	return load{
		sys: collections.System, askers: 3, params: []string{"clients=3", "commands=1", "over=" + over, "through=dispatcher", fmt.Sprint("faults=", faults)},
		next: func(node, id int) sim.Signal {
			return service.Ask(id, history.Put{Key: fmt.Sprint(node, " ", id%1000), Value: id})
		},
		ends: func(facts int64, _ any) bool { return facts%2 == 0 }, // a call, and a return
	}
}

func commit(over string, faults int) load {
	return load{
		sys: transactions.System, askers: 1, params: []string{"participants=2", "transactions=1", "over=" + over, "through=dispatcher", fmt.Sprint("faults=", faults)},
		next: func(_, id int) sim.Signal { return transactions.Begin(id) },
		ends: func(_ int64, fact any) bool { _, is := fact.(transactions.Ended); return is },
	}
}

// ahead is the number of unanswered requests that a load keeps at each node to which it makes requests, so
// that the node always has something to do.
const ahead = 8

// run runs the service for the time warm, and then for span, and returns the number of answers in each window
// of span. Unless dies is 0, it kills the node with that index after half of span.
func (l load) run(warm, span, window time.Duration, dies int) (counts []int, err error) {
	params, err := l.sys.Configure(0, l.params, nil)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var began time.Time
	answers := make([]atomic.Int64, span/window)
	facts := make([]atomic.Int64, params.Nodes)
	room := make([]chan struct{}, l.askers)
	for k := range room {
		room[k] = make(chan struct{}, ahead)
	}
	started := make(chan struct{})
	host, err := live.Start(l.sys, live.Config{Params: params, Facts: func(at sim.Addr, fact any) {
		<-started
		if k := at.Index(); k < l.askers && l.ends(facts[k].Add(1), fact) {
			if w := time.Since(began) - warm; w >= 0 && w < span {
				answers[w/window].Add(1)
			}
			select {
			case room[k] <- struct{}{}:
			default:
			}
		}
	}})
	if err != nil {
		return nil, err
	}
	began = time.Now()
	close(started)
	for k := range l.askers {
		for range ahead {
			room[k] <- struct{}{}
		}
		go func() {
			for id := 2; ; id++ { // the script has asked for the first
				select {
				case <-room[k]:
					_ = host.Node(k).Request(ctx, l.next(k, id))
				case <-ctx.Done():
					return
				}
			}
		}()
	}
	time.Sleep(time.Until(began.Add(warm + span/2)))
	if dies > 0 {
		if err := host.Kill(dies); err != nil {
			return nil, err
		}
	}
	time.Sleep(time.Until(began.Add(warm + span)))
	cancel()
	for k := range answers {
		counts = append(counts, int(answers[k].Load()))
	}
	return counts, host.Stop()
}

// A throughput is the measured throughput of one service over one protocol, in answers per second.
type throughput struct {
	service, over string
	faults        int
	mean, sd      float64
}

func (t throughput) label() string {
	return fmt.Sprintf("%s-%dFT", map[string]string{"chain": "CR", "multipaxos": "MP"}[t.over], t.faults)
}

// runServices draws the throughput of the replicated services, as Figure 4 of the report on P does, and the
// stall when the head of a chain fails, as Figure 5 does. Each throughput is that of three runs of span.
func runServices(out string, span time.Duration, report io.Writer) error {
	var all []throughput
	for _, s := range []struct {
		name string
		load func(string, int) load
	}{{"hash table", table}, {"two-phase commit", commit}} {
		for _, over := range []string{"chain", "multipaxos"} {
			for faults := 1; faults <= 2; faults++ {
				var rates []float64
				for range 3 {
					counts, err := s.load(over, faults).run(span/5, span, span, 0)
					if err != nil {
						return err
					}
					rates = append(rates, float64(counts[0])/span.Seconds())
				}
				t := throughput{service: s.name, over: over, faults: faults}
				t.mean, t.sd = spread(rates)
				all = append(all, t)
			}
		}
	}
	const window, fine = 10 * time.Millisecond, time.Millisecond
	answers, err := table("chain", 2).run(span/5, span, fine, 4) // after three clients and the dispatcher
	if err != nil {
		return err
	}
	stall := sums(answers, int(window/fine))
	if err := write(filepath.Join(out, "throughput.csv"), func(w io.Writer) error { return throughputData(w, all) }); err != nil {
		return err
	}
	if err := write(filepath.Join(out, "throughput.svg"), func(w io.Writer) error { return drawThroughput(w, all) }); err != nil {
		return err
	}
	if err := write(filepath.Join(out, "stall.csv"), func(w io.Writer) error { return stallData(w, stall, window) }); err != nil {
		return err
	}
	if err := write(filepath.Join(out, "stall.svg"), func(w io.Writer) error { return drawStall(w, stall, window) }); err != nil {
		return err
	}
	return throughputRows(report, all, answers, fine)
}

// sums adds up each n successive counts, and returns these sums: sums of 1, 2, 3, 4 with n = 2 are
// 3, 7.
func sums(counts []int, n int) (all []int) {
	for k := range counts {
		if k%n == 0 {
			all = append(all, 0)
		}
		all[k/n] += counts[k]
	}
	return all
}

func spread(rates []float64) (mean, sd float64) {
	for _, r := range rates {
		mean += r / float64(len(rates))
	}
	for _, r := range rates {
		sd += (r - mean) * (r - mean) / float64(len(rates)-1)
	}
	return mean, math.Sqrt(sd)
}

func throughputData(w io.Writer, all []throughput) error {
	out := csv.NewWriter(w)
	out.Write([]string{"service", "over", "faults", "answers a second", "deviation"})
	for _, t := range all {
		out.Write([]string{t.service, t.over, strconv.Itoa(t.faults), fmt.Sprintf("%.0f", t.mean), fmt.Sprintf("%.0f", t.sd)})
	}
	out.Flush()
	return out.Error()
}

func stallData(w io.Writer, counts []int, window time.Duration) error {
	out := csv.NewWriter(w)
	out.Write([]string{"seconds", "answers"})
	for k, n := range counts {
		out.Write([]string{fmt.Sprintf("%.2f", (time.Duration(k) * window).Seconds()), strconv.Itoa(n)})
	}
	out.Flush()
	return out.Error()
}

// canvas draws one plot on a white background.
func canvas(w io.Writer, p *plot.Plot, width, height vg.Length) error {
	c := vgsvg.New(width, height)
	dc := draw.New(c)
	dc.SetColor(color.White)
	dc.Fill(dc.Rectangle.Path())
	p.Draw(draw.Crop(dc, vg.Points(8), -vg.Points(12), vg.Points(8), -vg.Points(8)))
	_, err := c.WriteTo(w)
	return err
}

type bars []throughput

func (b bars) Len() int                       { return len(b) }
func (b bars) XY(i int) (x, y float64)        { return float64(i), b[i].mean }
func (b bars) YError(i int) (low, up float64) { return b[i].sd, b[i].sd }

func drawThroughput(w io.Writer, all []throughput) error {
	p := plot.New()
	p.Title.Text = "throughput, mean and deviation of three runs"
	p.Y.Label.Text, p.Y.Min = "answers a second", 0
	p.Legend.Top = true
	var names []string
	for k, t := range all {
		b, err := plotter.NewBarChart(plotter.Values{t.mean}, vg.Points(34))
		if err != nil {
			return err
		}
		b.XMin, b.Color, b.LineStyle.Width = float64(k), colours[t.service == all[0].service], 0
		p.Add(b)
		if k%4 == 0 {
			p.Legend.Add(t.service, b)
		}
		names = append(names, t.label())
	}
	errors, err := plotter.NewYErrorBars(bars(all))
	if err != nil {
		return err
	}
	p.Add(errors)
	p.NominalX(names...)
	return canvas(w, p, 7*vg.Inch, 3.4*vg.Inch)
}

func drawStall(w io.Writer, counts []int, window time.Duration) error {
	p := plot.New()
	p.Title.Text = "hash table over a chain of three replicas; its head fails after half of the time"
	p.X.Label.Text, p.Y.Label.Text, p.Y.Min = "seconds", fmt.Sprintf("answers in %s", window), 0
	var points plotter.XYs
	for k, n := range counts {
		points = append(points, plotter.XY{X: (time.Duration(k) * window).Seconds(), Y: float64(n)})
	}
	l, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	l.Width, l.Color = vg.Points(0.8), colours[true]
	p.Add(plotter.NewGrid(), l)
	return canvas(w, p, 7*vg.Inch, 3.4*vg.Inch)
}

// throughputRows prints the table in BENCHMARKS.md.
func throughputRows(w io.Writer, all []throughput, stall []int, window time.Duration) error {
	var b strings.Builder
	fmt.Fprintln(&b, "| service | over | faults tolerated | answers a second | deviation |")
	fmt.Fprintln(&b, "|---|---|--:|--:|--:|")
	for _, t := range all {
		fmt.Fprintf(&b, "| %s | %s | %d | %.0f | %.0f |\n", t.service, t.over, t.faults, t.mean, t.sd)
	}
	most, length := 0, 0
	for _, n := range stall[len(stall)/2:] {
		if length++; n > 0 {
			length = 0
		}
		most = max(most, length)
	}
	half := func(counts []int) (sum int) {
		for _, n := range counts {
			sum += n
		}
		return sum / max(1, int((time.Duration(len(counts))*window).Seconds()))
	}
	fmt.Fprintf(&b, "\nThe head fails: then at most %s without an answer; %d answers a second before, %d after.\n",
		time.Duration(most)*window, half(stall[:len(stall)/2]), half(stall[len(stall)/2:]))
	_, err := io.WriteString(w, b.String())
	return err
}
