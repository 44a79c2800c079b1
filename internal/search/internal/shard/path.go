package shard

import "encoding/binary"

// A Step is one element of a path. The first element is the start of the run, with the answers to
// its coins; each of the others is an event, with the answers to its coins. End is the position in
// the encoded path where the element ends.
type Step struct {
	Event int
	Coins []int
	End   int
}

// AppendStep appends an element to an encoded path. The event of the first element, the start, is
// 0.
func AppendStep(path []byte, event int, coins []int) []byte {
	path = binary.AppendUvarint(binary.AppendUvarint(path, uint64(event)), uint64(len(coins)))
	for _, c := range coins {
		path = binary.AppendUvarint(path, uint64(c))
	}
	return path
}

// Steps decodes a path and appends its elements to list.
func Steps(list []Step, path []byte) ([]Step, error) {
	in := input{rest: path}
	for len(in.rest) > 0 {
		s := Step{Event: in.uint()}
		for range in.uint() {
			if s.Coins = append(s.Coins, in.uint()); in.bad {
				break
			}
		}
		s.End = len(path) - len(in.rest)
		list = append(list, s)
	}
	return list, in.err()
}
