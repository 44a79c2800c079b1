package bubble

import (
	"context"
	"fmt"
	"hash/fnv"
	"hash/maphash"
	"io"
	oldrand "math/rand"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"time"
)

// A program is a random test program: goroutines that share channels, locks, maps and timers. Its
// operations and their durations are drawn by its number before the run. Its output depends on the choices
// that the runtime makes.
type program struct {
	draw    *rand.Rand // made before the run, by the number
	chans   []chan int
	mu      sync.Mutex
	rw      sync.RWMutex
	cond    *sync.Cond
	small   map[int]int
	large   map[string]int
	said    []string // by all goroutines, in the order in which they said it
	null    io.Writer
	running sync.WaitGroup
}

func (p *program) say(format string, args ...any) {
	p.said = append(p.said, fmt.Sprintf("%v ", time.Now().UnixNano())+fmt.Sprintf(format, args...))
}

// run runs the program with a number, and returns its output.
func run(number uint64) []string {
	p := &program{draw: rand.New(rand.NewPCG(number, 1)), small: map[int]int{}, large: map[string]int{}, null: io.Discard}
	if number%5 == 0 {
		f, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			panic(err)
		}
		defer f.Close()
		p.null = f // each line is a system call
	}
	p.cond = sync.NewCond(&p.mu)
	for i := range 2 + p.draw.IntN(4) {
		p.chans = append(p.chans, make(chan int, i%3))
	}
	for i := range 5 {
		p.small[i] = i
	}
	for i := range 20 {
		p.large[fmt.Sprint(i)] = i
	}
	for i := range 2 + p.draw.IntN(6) {
		p.start(fmt.Sprint(i), 2+p.draw.IntN(8), 2)
	}
	p.running.Wait()
	return p.said
}

// start starts a goroutine with this number of operations, which are drawn here.
func (p *program) start(name string, length, depth int) {
	ops := make([]func(string), length)
	for i := range ops {
		ops[i] = p.operation(depth)
	}
	p.running.Go(func() {
		for _, op := range ops {
			op(name)
		}
	})
}

// operation draws an operation of a goroutine, and returns the function that does it.
func (p *program) operation(depth int) func(string) {
	a, b := p.chans[p.draw.IntN(len(p.chans))], p.chans[p.draw.IntN(len(p.chans))]
	d := time.Duration(1+p.draw.IntN(3)) * time.Millisecond // often equal to another
	switch k := p.draw.IntN(19); k {
	case 0, 1:
		return func(me string) { p.choose(me, a, b, d) }
	case 2:
		return func(me string) {
			select {
			case a <- 1:
				p.say("%s sent", me)
			default:
				p.say("%s sent nothing", me)
			}
		}
	case 3:
		return func(me string) { time.Sleep(d); p.say("%s slept", me) }
	case 4:
		return func(me string) { p.lock(me, d) }
	case 5:
		return func(me string) { p.rw.RLock(); p.say("%s reads", me); runtime.Gosched(); p.rw.RUnlock() }
	case 6:
		return func(me string) { p.rw.Lock(); time.Sleep(d / 2); p.rw.Unlock(); p.say("%s wrote", me) }
	case 7:
		return func(me string) { p.ranges(me) }
	case 8:
		return func(me string) { p.say("%s drew %d %d", me, rand.IntN(1000), oldrand.Int63n(1000)) }
	case 9:
		return func(me string) { p.say("%s hashed %d", me, maphash.String(maphash.MakeSeed(), me)) }
	case 10:
		return func(me string) { p.timers(me, d) }
	case 11:
		if depth == 0 {
			return func(me string) { runtime.Gosched(); p.say("%s yielded", me) }
		}
		length := 1 + p.draw.IntN(3)
		ops := p.draw.Uint64()
		return func(me string) {
			p.draw = rand.New(rand.NewPCG(ops, 2))
			p.start(me+".", length, depth-1)
		}
	case 12:
		return func(me string) { p.contexts(me, d) }
	case 13:
		return func(me string) { p.ticks(me, d) }
	case 14:
		return func(me string) { fmt.Fprintln(p.null, me, "logs"); p.say("%s logged", me) }
	case 15:
		return func(me string) { p.waits(me, d) }
	case 16:
		n := 1 + p.draw.IntN(5)
		return func(me string) { p.many(me, n) }
	case 17:
		return func(me string) { p.crowd(me) }
	default:
		return func(me string) { runtime.Gosched(); p.say("%s yielded", me) }
	}
}

func (p *program) choose(me string, a, b chan int, d time.Duration) {
	select {
	case a <- 1:
		p.say("%s sent first", me)
	case b <- 2:
		p.say("%s sent second", me)
	case v := <-a:
		p.say("%s got %d", me, v)
	case v := <-b:
		p.say("%s got %d by the second", me, v)
	case <-time.After(d):
		p.say("%s waited", me)
	}
}

// lock sleeps while it holds the lock, so that goroutines which wait for the lock are idle.
func (p *program) lock(me string, d time.Duration) {
	p.mu.Lock()
	p.say("%s locked", me)
	time.Sleep(d)
	p.mu.Unlock()
}

func (p *program) ranges(me string) {
	sum := ""
	for k := range p.small {
		sum += fmt.Sprint(k, " ")
	}
	for k := range p.large {
		sum += k + " "
	}
	p.large[me] = len(sum)
	p.say("%s ranged %s", me, sum)
}

func (p *program) timers(me string, d time.Duration) {
	for i := range 3 {
		p.running.Add(1)
		time.AfterFunc(d, func() { p.say("%s timer %d", me, i); p.running.Done() })
	}
}

func (p *program) contexts(me string, d time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	other, stop := context.WithCancel(ctx)
	defer stop()
	select {
	case <-ctx.Done():
		p.say("%s done", me)
	case <-other.Done():
		p.say("%s other done", me)
	case <-time.After(d):
		p.say("%s after", me)
	}
}

func (p *program) ticks(me string, d time.Duration) {
	t := time.NewTicker(d)
	defer t.Stop()
	for range 3 {
		<-t.C
		p.say("%s tick", me)
	}
}

// waits waits for a signal from another goroutine, for at most d.
func (p *program) waits(me string, d time.Duration) {
	time.AfterFunc(d, p.cond.Broadcast)
	p.cond.Signal()
	p.mu.Lock()
	p.cond.Wait()
	p.mu.Unlock()
	p.say("%s woken", me)
}

// many starts n goroutines that become ready at the same time.
func (p *program) many(me string, n int) {
	gate := make(chan struct{})
	for i := range n + 1 {
		p.running.Go(func() { <-gate; p.say("%s.%d passed", me, i) })
	}
	time.Sleep(time.Nanosecond)
	close(gate)
}

// crowd starts more goroutines than the run queue of a P can hold.
func (p *program) crowd(me string) {
	if len(me) > 1 || me > "1" {
		return
	}
	h := fnv.New64()
	for i := range 300 {
		p.running.Go(func() { runtime.Gosched(); fmt.Fprint(h, i) })
	}
	time.Sleep(time.Nanosecond)
	p.say("%s crowd %x", me, h.Sum64())
}
