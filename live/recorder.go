package live

import (
	"fmt"
	"io"
	"time"

	"macemc/internal/record"
	"macemc/sim"
	"macemc/trace"
)

// recorder writes the record of a life of a node, if Config.Record is set.
type recorder struct {
	*place
	m     *machine
	to    io.WriteCloser // the file of the record, or nil if nothing is recorded
	out   *record.Writer
	entry record.Entry
	step  record.Step
}

// begin begins the record of a life in file to with the entry b.
func (r *recorder) begin(to io.WriteCloser, b *record.Beginning) error {
	var err error
	r.to = to
	if r.out, err = record.NewWriter(to, r.host.sys); err != nil {
		return err
	}
	return r.note(&record.Entry{Kind: record.EntryLife, Begin: b})
}

// note writes an entry, if the life is recorded.
func (r *recorder) note(e *record.Entry) error {
	if r.to == nil {
		return nil
	}
	e.Node, e.Life, e.At = r.at, r.life, time.Now().UnixNano()
	return r.out.Write(e)
}

// stepped makes the entry for the step of event e, which write then writes.
func (r *recorder) stepped(e *record.Event, peers []*peer) error {
	if r.to == nil {
		return nil
	}
	s := &r.step
	*s = record.Step{Event: *e, Picks: r.m.picks, Refused: r.m.refused, Acked: s.Acked[:0], Resets: s.Resets[:0], Sends: r.m.sends, Stored: r.m.writes}
	effects := r.m.step.Effects()
	for i := range effects {
		switch f := &effects[i]; f.Kind {
		case trace.EffectRefused:
			p := peers[f.To.Index()]
			s.Acked = append(s.Acked, record.Acked{Peer: p.at, Of: p.last})
		case trace.EffectReset:
			p := peers[f.To.Index()]
			if p.sess != nil {
				s.Resets = append(s.Resets, record.Acked{Peer: p.at, Of: p.sess.id})
			}
		}
	}
	if e.Kind != sim.KindMessage && e.Kind != sim.KindScript && e.Kind != sim.KindTask && e.Kind != sim.KindTimer && e.Kind != sim.KindAction {
		s.Event.Value = nil
	}
	var err error
	if s.State, err = r.m.walker.Sum(r.m.node); err != nil {
		return fmt.Errorf("%s cannot be recorded: %w", r.m.self, err)
	}
	return nil
}

// write writes the entry that stepped has made.
func (r *recorder) write() error {
	r.entry = record.Entry{Kind: record.EntryStep, Step: &r.step}
	if err := r.note(&r.entry); err != nil {
		return fmt.Errorf("%s cannot be recorded: %w", r.m.self, err)
	}
	return nil
}

// last returns the step with this number, as a LastStep for the keeper, or nil if nothing
// is recorded.
func (r *recorder) last(number uint64) []byte {
	if r.to == nil {
		return nil
	}
	return r.out.Last(r.life, number, &r.step)
}

// failed records that the handler of event e failed, with the part of the step that ran. e
// is nil if the node failed outside of a handler.
func (r *recorder) failed(text string, e *record.Event) {
	entry := &record.Entry{Kind: record.EntryFailed, Text: text}
	if e != nil {
		entry.Step = &record.Step{Event: *e, Picks: r.m.picks, Refused: r.m.refused, Sends: r.m.sends}
	}
	_ = r.note(entry)
}

func (r *recorder) close() error {
	if r.to == nil {
		return nil
	}
	return r.to.Close()
}
