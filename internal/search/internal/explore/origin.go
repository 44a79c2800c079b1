package explore

import "math"

// Origin is the step by which a state was first reached.
type Origin struct {
	Parent uint32
	event  uint16
	coins  uint16 // the number of the list of answers to the step's coins
}

const NoParent = math.MaxUint32

// brief has the origins of the states of a full block, in three bytes each. The parents of these states mostly
// have numbers near each other, since the states of a level are expanded in order.
type brief struct {
	least   uint32 // the smallest number of a parent
	coins   uint16 // the list of answers, the same for all
	parents [blockStates]uint16
	events  [blockStates]uint8
}

// briefly returns the origins as a brief, or nil if they do not fit.
func briefly(origins []Origin) *brief {
	first := origins[0]
	least, most := first.Parent, first.Parent
	for _, o := range origins {
		if least, most = min(least, o.Parent), max(most, o.Parent); o.event > math.MaxUint8 || o.coins != first.coins {
			return nil
		}
	}
	if most-least > math.MaxUint16 {
		return nil
	}
	b := &brief{least: least, coins: first.coins}
	for i, o := range origins {
		b.parents[i], b.events[i] = uint16(o.Parent-least), uint8(o.event)
	}
	return b
}

// inBrief makes the block keep its origins as short. It returns the list that held them, whose memory is not
// needed any more.
func (b *block) inBrief(short *brief) (origins []Origin) {
	origins, b.origins, b.brief = b.origins, nil, short
	return origins
}

// of returns the origin of state s.
func (b *brief) of(s uint32) Origin {
	i := s % blockStates
	return Origin{b.least + uint32(b.parents[i]), uint16(b.events[i]), b.coins}
}
