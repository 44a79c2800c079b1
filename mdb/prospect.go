package mdb

import (
	"errors"
	"fmt"
	"math"

	"macemc/choose"
	"macemc/internal/decide"
	"macemc/internal/numerals"
	"macemc/internal/search"
	"macemc/sim"
	"macemc/trace"
)

// This file works out what may happen after a place: whether the run recovers from there, and how
// often walks recover.

const (
	leadWalks   = 20     // the number of walks from an alternative
	leadStates  = 20_000 // the largest number of states that are visited to decide exactly about an alternative
	leadEffort  = 400_000
	curveWalks  = 40    // the number of walks from each state of a curve
	liveSteps   = 1_000 // the number of steps within which a walk must become live
	curveAll    = 48    // up to this number of steps, a curve has a point for each state of the run
	curveEven   = 32    // a longer run is first divided into this many stretches of equal length,
	curveCloser = 16    // and then gets this many more points where the share of walks that recover falls
)

// asks returns which random walks are counted as good. "live" means those that reach a live state. "survive"
// means those that take all of their steps without a failure, and is the answer for a run that fails or cannot
// be live.
func (s *Session) asks() string {
	if s.run.trunk.failure != nil || !s.run.player.World().Judge.CanBeLive() {
		return "survive"
	}
	return "live"
}

// walkSteps returns how many steps a walk may take to recover.
func (s *Session) walkSteps() int {
	if s.asks() == "survive" {
		return decide.SurviveSteps
	}
	return liveSteps
}

// prospects has the results about the future of the run that were computed so far: the curves (see
// Curve) and the leads (see Lead). The lab, which takes runs from states of the open run, is made
// when it is first needed.
type prospects struct {
	lab    *search.Lab
	curves map[*branch]*curve
	leads  map[leadKey]Lead
}

// close ends the lab, which stops its watchdog, the goroutine that notices handlers that never
// return. The curves and leads stay.
func (p *prospects) close() {
	if p.lab != nil {
		p.lab.Close()
		p.lab = nil
	}
	for _, c := range p.curves {
		c.forget()
	}
}

// ended returns err, or errStopped if err came because the lab was stopped. It then also drops the
// lab, since a lab that was stopped takes no more runs.
func (p *prospects) ended(err error) error {
	if errors.Is(err, search.ErrStopped) && p.lab != nil && p.lab.Stopped() {
		p.close()
		return errStopped
	}
	return err
}

// in returns the lab, which takes runs of sys under the conditions of a path. It makes one
// if there is none.
func (p *prospects) in(sys *sim.System, path *choose.Path, opts search.Options) (_ *search.Lab, err error) {
	if p.lab == nil {
		p.lab, err = search.NewLab(sys, path, opts)
	}
	return p.lab, err
}

// keep keeps the result about an alternative.
func (p *prospects) keep(k leadKey, l Lead) {
	if p.leads == nil {
		p.leads = map[leadKey]Lead{}
	}
	p.leads[k] = l
}

// curve returns the curve of the branch that ends at a cursor. If the branch has grown
// since it was made, the curve begins anew.
func (p *prospects) curve(end Cursor) *curve {
	if p.curves == nil {
		p.curves = map[*branch]*curve{}
	}
	c := p.curves[end.here]
	if c == nil || c.steps != end.Len() {
		critical, _ := end.critical()
		c = &curve{steps: end.Len(), critical: critical, points: map[int]Point{}}
		p.curves[end.here] = c
	}
	return c
}

// Close stops the watchdog, a goroutine that notices handlers that never return. There is one only
// after a call of Lead or Curve.
func (s *Session) Close() { s.prospects.close() }

// labOf returns the lab in which walks from states of the session's run are taken.
func (s *Session) labOf() (*search.Lab, error) {
	opts := s.options(leadWalks)
	opts.WalkSteps, opts.MaxWalkSteps = liveSteps, liveSteps
	return s.prospects.in(s.run.player.World().System(), s.asked(Cursor{s.run, s.run.trunk, 0}), opts)
}

// asked returns the path of the run up to a place. Its header has the verdict that a lab needs to
// know what to count: whether walks become live, or whether they do not fail.
func (s *Session) asked(at Cursor) *choose.Path {
	verdict := trace.VerdictDead
	if f := s.run.trunk.failure; f != nil {
		verdict = f.Verdict
	} else if s.asks() == "survive" {
		verdict = trace.VerdictNone
	}
	return at.looked(at.step, verdict)
}

// Lead is the answer to whether the run recovers after an alternative.
type Lead struct {
	To    string `json:"to"`    // live, dead or unknown: the kind of state to which the alternative leads
	Exact bool   `json:"exact"` // the answer is proved: all reachable states were visited, or a run was found that recovers
	Why   string `json:"why"`
}

type leadKey struct {
	of    *branch
	step  int
	event int
	coins string
}

// Lead decides, with a small effort, whether the run recovers after an alternative.
func (s *Session) Lead(at Look, event int, coins []int) (Lead, error) {
	key := leadKey{at.here.owner(at.step), at.step, event, fmt.Sprint(coins)}
	if l, known := s.prospects.leads[key]; known {
		return l, nil
	}
	l, err := s.lead(at, event, coins)
	if err == nil {
		s.prospects.keep(key, l)
	}
	return l, s.prospects.ended(err)
}

func (s *Session) lead(at Look, event int, coins []int) (Lead, error) {
	if err := at.run.hanging(at.here, at.step, event); err != nil {
		return Lead{To: "unknown", Why: err.Error()}, nil
	}
	if err := at.run.seek(at.here, at.step); err != nil {
		return Lead{}, err
	}
	if n := at.run.player.World().Events.Count(); event < 0 || event >= n {
		return Lead{}, fmt.Errorf("there is no event %d; after step %s there are %s, counted from 0: see alternatives", event, numerals.Count(at.step), numerals.Many(n, "event"))
	}
	_, failure := at.run.step(&given{event: event, coins: coins}, false)
	at.run.on = nil
	if err := at.run.player.Err(); err != nil && failure == nil {
		return Lead{}, err
	}
	if asked := len(at.run.tape.picks) - 1; failure == nil && asked < len(coins) {
		return Lead{}, fmt.Errorf("%s given, and the handler asks %s", numerals.Many(len(coins), "coin")+plural(len(coins), " is", " are"), numerals.Many(asked, "coin"))
	}
	if failure != nil {
		return Lead{"dead", true, fmt.Sprintf("the service fails in it: %s: %s", failure.Verdict, failure.Message)}, nil
	}
	if s.run.verdicts[at.run.judge(nil)].live && s.asks() == "live" {
		return Lead{"live", true, "the state after it is live"}, nil
	}
	step, picks := at.run.lastStep(nil), at.run.tape.picks
	path := s.asked(at.Cursor)
	path.Steps = append(path.Steps, choose.Step{
		Event: choose.Choice{Kind: choose.Event, Of: int(picks[0].Of), Pick: int(picks[0].Pick), What: step.Identity}, Coins: step.Coins,
	})
	return s.leadOf(path)
}

// leadOf decides whether the run recovers after the end of a path.
func (s *Session) leadOf(path *choose.Path) (Lead, error) {
	lab, err := s.labOf()
	if err != nil {
		return Lead{}, err
	}
	of, err := lab.Take(path)
	if err != nil {
		return Lead{}, err
	}
	d := lab.Finder(of, decide.Options{Exhaust: leadStates, Effort: lab.Effort() + leadEffort})
	if s.asks() == "survive" {
		share, err := d.Share(of.Steps(), leadWalks, s.walkSteps(), true)
		if share.Well > 0 {
			return Lead{"live", true, fmt.Sprintf("%d of %d walks of %s go on without a failure", share.Well, share.Walks, numerals.Many(share.WalkSteps, "step"))}, err
		}
		return Lead{"dead", false, fmt.Sprintf("each of %d walks of at most %s fails", share.Walks, numerals.Many(share.WalkSteps, "step"))}, err
	}
	r, err := d.Recovers()
	switch {
	case errors.Is(err, search.ErrStopped) && !lab.Stopped():
		return Lead{"unknown", false, fmt.Sprintf("%s were not enough to tell; recovers takes more", numerals.Many(leadEffort, "step"))}, nil
	case err != nil:
		return Lead{}, err
	case r.Exact && r.Alive:
		return Lead{"live", true, "proved: of all states that can still be reached without faults, some are live"}, nil
	case r.Exact:
		return Lead{"dead", true, "proved: every state that can still be reached without faults was visited, and none is live"}, nil
	case r.Alive:
		return Lead{"live", true, fmt.Sprintf("a walk became live after %s", numerals.Many(r.Walk.Steps, "step"))}, nil
	}
	return Lead{"dead", false, fmt.Sprintf("none of %s of %s became live, nor did any that look for a narrow escape", numerals.Many(r.Taken, "walk"), numerals.Many(r.WalkSteps, "step"))}, nil
}

// Curve says, for states along a branch, which share of the random walks that begin there
// recovers. Points has the states that were sampled.
type Curve struct {
	Asks      string  `json:"asks"`       // the question: live, if a walk becomes live; survive, if it takes all of its steps without a failure
	Walks     int     `json:"walks"`      // number of walks from each state
	WalkSteps int     `json:"walk_steps"` // the largest number of steps of a walk
	States    int     `json:"states"`     // number of states of the branch
	Done      bool    `json:"done"`       // no more states will be sampled
	Points    []Point `json:"points"`     // by step
}

// Point is the share of the walks from one state that recovered.
type Point struct {
	Step int     `json:"step"`
	Well int     `json:"well"` // number of these walks that recovered
	Low  float64 `json:"low"`  // the bounds of Wilson's interval with 95 % confidence
	High float64 `json:"high"`
}

// Curve takes walks from up to more further states of the branch of at, and returns the curve with all samples
// so far. The samples and their order depend on the branch alone.
func (s *Session) Curve(at Look, more int) (Curve, error) {
	c := s.prospects.curve(at.here.end(at.run))
	for range more {
		step, is := c.next()
		if !is {
			break
		}
		lab, err := s.labOf()
		if err == nil {
			err = c.sample(lab, s.asked(at.here.end(at.run)), step, s.walkSteps(), s.asks() == "survive")
		}
		if err != nil {
			return Curve{}, s.prospects.ended(err)
		}
	}
	_, is := c.next()
	points := []Point{}
	for _, step := range sim.Keys(c.points) {
		points = append(points, c.points[step])
	}
	return Curve{s.asks(), curveWalks, s.walkSteps(), at.Len() + 1, !is, points}, nil
}

// curve has the points of a branch that were sampled so far.
type curve struct {
	of       *search.Case // the branch's run as the lab has taken it; nil if it was not taken yet
	steps    int
	critical int
	points   map[int]Point
}

// forget drops the run that the lab has taken for the curve.
func (c *curve) forget() { c.of = nil }

// sample takes walks of at most most steps from the state after a step, and adds the point. path is the branch
// up to its end. If survive is set, it counts the walks that do not fail, and otherwise those that become live.
func (c *curve) sample(lab *search.Lab, path *choose.Path, step, most int, survive bool) (err error) {
	if c.of == nil {
		if c.of, err = lab.Take(path); err != nil {
			return err
		}
	}
	share, err := lab.Finder(c.of, decide.Options{}).Share(step, curveWalks, most, survive)
	if err == nil {
		round := func(x float64) float64 { return math.Round(x*1e4) / 1e4 }
		c.points[step] = Point{step, share.Well, round(share.Low), round(share.High)}
	}
	return err
}

// next returns the state to sample next, if there is one. First come the states next to the
// critical step, then states at even distance, beginning with the ends, and then states between two
// points whose intervals do not meet.
func (c *curve) next() (step int, is bool) {
	for _, at := range []int{c.critical - 1, c.critical} {
		if _, known := c.points[at]; c.critical > 0 && at <= c.steps && !known {
			return at, true
		}
	}
	if at, is := c.even(); is {
		return at, true
	}
	return c.between()
}

// even returns the next state, of those at even distance, that was not sampled yet, if
// there is one.
func (c *curve) even() (int, bool) {
	n := curveEven
	if c.steps <= curveAll {
		n = c.steps
	}
	for part := 1; ; part *= 2 {
		part = min(part, n)
		for k := range part + 1 {
			at := 0
			if n > 0 {
				at = k * n / max(1, part) * c.steps / n
			}
			if _, known := c.points[at]; !known {
				return at, true
			}
		}
		if part >= n {
			return 0, false
		}
	}
}

// between returns the middle of the two neighbouring points between which the share falls
// most, if it falls by more than chance explains.
func (c *curve) between() (int, bool) {
	if len(c.points) > curveEven+3+curveCloser || c.steps <= curveAll {
		return 0, false
	}
	steps := sim.Keys(c.points)
	best, at := 0, 0
	for i := 1; i < len(steps); i++ {
		a, b := c.points[steps[i-1]], c.points[steps[i]]
		if b.Step-a.Step > 1 && a.Low > b.High && a.Well-b.Well > best {
			best, at = a.Well-b.Well, (a.Step+b.Step)/2
		}
	}
	return at, best > 0
}
