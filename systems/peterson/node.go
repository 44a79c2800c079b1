package peterson

import (
	"fmt"

	"macemc/sim"
)

// processesMost is the largest number of processes.
const processesMost = 6

// These are the guarded actions, one for each label, with the number of the process that takes
// them. (Go puts a type of one byte into an interface without allocating.)
type (
	start process // L0
	claim process // L1
	yield process // L2
	pass  process // L3
	leave process // L4
)

// process is a process, counted from 0.
type process uint8

// label is the statement that a process executes next.
type label uint8

const (
	labelStart label = iota
	labelClaim
	labelYield
	labelPass
	labelLeave
)

// lock is the shared memory, with the label of each process. It contains no pointers, so an
// assignment copies the whole state.
type lock struct {
	n     int
	at    [processesMost]label
	level [processesMost]uint8   // j of the story: 1 to n-1; 0 before the first start, n at L4
	claim [processesMost]uint8   // Q of the story
	turn  [processesMost]process // the process that yields at a level; none yields at level 0

	claimsLate bool // the known bug PE1
	noTurn     bool // the known bug PE2
}

var handlers = sim.Handle(
	sim.OnSignal((*lock).start), sim.OnSignal((*lock).claims), sim.OnSignal((*lock).yields), sim.OnSignal((*lock).pass), sim.OnSignal((*lock).leave),
)

// Offers offers the next step of each process. Only that of L3 has a condition: see mayPass.
func (l *lock) Offers(offer func(sim.Signal)) {
	for i := range process(l.n) {
		switch l.at[i] {
		case labelStart:
			offer(start(i))
		case labelClaim:
			offer(claim(i))
		case labelYield:
			offer(yield(i))
		case labelPass:
			if l.mayPass(i) {
				offer(pass(i))
			}
		case labelLeave:
			offer(leave(i))
		default:
			panic(fmt.Sprintf("peterson: process %d is at the label %d, which is none", i, l.at[i]))
		}
	}
}

// mayPass reports whether process i may take the step of L3, by which it leaves its level.
func (l *lock) mayPass(i process) bool {
	j := l.level[i]
	if l.turn[j] != i && !l.noTurn {
		return true
	}
	for k := range process(l.n) {
		if k != i && l.claim[k] >= j {
			return false
		}
	}
	return true
}

func (l *lock) start(_ sim.Env, i start) {
	l.level[i] = 1
	l.at[i] = l.first()
}

func (l *lock) claims(_ sim.Env, i claim) {
	l.claim[i] = l.level[i]
	l.at[i] = l.after(labelClaim)
}

func (l *lock) yields(_ sim.Env, i yield) {
	l.turn[l.level[i]] = process(i)
	l.at[i] = l.after(labelYield)
}

func (l *lock) pass(_ sim.Env, i pass) {
	l.level[i]++
	l.at[i] = l.first()
	if int(l.level[i]) == l.n {
		l.at[i] = labelLeave
	}
}

func (l *lock) leave(_ sim.Env, i leave) {
	l.claim[i] = 1
	l.at[i] = labelStart
}

// first returns the first label of a level: the claim, or with PE1 the yield.
func (l *lock) first() label {
	if l.claimsLate {
		return labelYield
	}
	return labelClaim
}

// after returns the label that follows the claim or the yield that was done.
func (l *lock) after(done label) label {
	if l.claimsLate && done == labelYield {
		return labelClaim
	}
	if !l.claimsLate && done == labelClaim {
		return labelYield
	}
	return labelPass
}
