package visited

import (
	"math"
	"math/bits"
)

// ExpectedOmissions is a bound on the expected number of states that were
// wrongly taken for known, under the one assumption that hashes are random.
//
// A new state is compared with the tags of those slots that it meets before an
// empty one: at load x, with linear probing, (1/(1-x)^2 - 1) / 2 of them
// (Knuth; less in a finite table). Each is equal by chance with probability
// 2^-tag, where tag = 64-DepthBits. Over the n states of a table of N slots,
// loaded to a = n/N, this sums up to at most
//
//	n a / (2 (1-a)) / 2^tag  =  n^2 / 2 / 2^bits,  bits = tag + log2(N (1-a))
//
// so a table works as one that keeps bits bits of every hash, though it stores
// tag. At three quarters of its load, these are tag + log2(N) - 2.
//
// With HashBits, a new state is known wrongly if its bits are those of any
// other: i/2^bits after i states, which is not small then, so that known ones
// between two new ones count: the sum of i/(2^bits - i) for i below n.
//
// Omissions are counted here, not their consequences: the successors of an
// omitted state may never be seen. States that were offered to a full table do
// not count. That the two states look alike to the hash because they are equal
// where it looks is none of this: it is the walk's matter.
func (t *Table) ExpectedOmissions() float64 {
	n, slots := float64(t.Len()), float64(len(t.slots))
	if t.hashBits != 0 {
		all := math.Exp2(float64(t.hashBits))
		if n >= all {
			return math.Inf(1) // a state more would be omitted, surely
		}
		if n < all/1024 {
			return n * n / 2 / (all - n) // the difference below would lose all digits
		}
		return -all*math.Log1p(-n/all) - n
	}
	met := n * n / 2 // all others, each pair once
	if n < slots {
		met = min(met, n*n/2/(slots-n))
	}
	return met / math.Exp2(float64(64-bits.Len64(t.depths)))
}

// OmissionProbability is a bound on the probability that any state was wrongly
// taken for known: the expected number, or 1 if that is more.
func (t *Table) OmissionProbability() float64 { return min(1, t.ExpectedOmissions()) }
