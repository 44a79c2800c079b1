package canon

import (
	"math/bits"
	"unsafe"
)

// This file hashes an entry of a map of numbers from registers. XXH3 reads its input from
// memory, and would wait there for the bytes that were just written.

// word reads a number of size bytes, its low byte first. size must be one for which isWord returns true.
func word(at unsafe.Pointer, size uintptr) uint64 {
	switch size {
	case 1:
		return uint64(*(*uint8)(at))
	case 2:
		return uint64(*(*uint8)(at)) | uint64(*(*uint8)(unsafe.Add(at, 1)))<<8
	case 4:
		return uint64(*(*uint32)(at))
	default:
		return *(*uint64)(at)
	}
}

func isWord(size uintptr) bool { return size == 1 || size == 2 || size == 4 || size == 8 }

// ofPair returns the hash that ofBytes would return for the bytes of a, followed by those of b. Together
// these are at least 4 bytes.
func ofPair(a, b uint64, sizeA, sizeB uintptr) Hash {
	n := uint64(sizeA + sizeB)
	lo := a | b<<(8*sizeA) // shifts by 64 give 0
	if n <= 8 {
		last := uint32(lo >> (8 * (n - 4)))
		return of4to8(uint64(uint32(lo))|uint64(last)<<32, n)
	}
	hi := b >> (64 - 8*sizeA)
	tail := 8 * (n - 8)
	return of9to16(lo, lo>>tail|hi<<(64-tail), n)
}

// Constants of XXH3.
const (
	prime32x2 = 2246822519
	prime64x1 = 11400714785074694791
	prime64x2 = 14029467366897019727
)

// of4to8 returns the XXH3 hash of n bytes, where n is from 4 to 8. in has the first four and the last four
// of the bytes.
func of4to8(in, n uint64) Hash {
	hi, lo := bits.Mul64(in^0xdb979083e96dd4de^0x1f67b3b7a4a44072, prime64x1+n<<2)
	hi += lo << 1
	lo ^= hi >> 3
	lo ^= lo >> 35
	lo *= 0x9fb21c651e98df25
	lo ^= lo >> 28
	return Hash{avalanche(hi), lo}
}

// of9to16 returns the XXH3 hash of n bytes, where n is from 9 to 16. first and last have the first eight
// and the last eight of them.
func of9to16(first, last, n uint64) Hash {
	hi, lo := bits.Mul64(first^last^0x78e5c0cc4ee679cb^0x2172ffcc7dd05a82, prime64x1)
	lo += (n - 1) << 54
	last ^= 0x8e2443f7744608b8 ^ 0x4c263a81e69035e0
	hi += last + uint64(uint32(last))*(prime32x2-1)
	lo ^= bits.ReverseBytes64(hi)
	h, l := bits.Mul64(lo, prime64x2)
	h += hi * prime64x2
	return Hash{avalanche(h), avalanche(l)}
}

func avalanche(x uint64) uint64 {
	x ^= x >> 37
	x *= 0x165667919e3779f9
	return x ^ x>>32
}
