package overlay

// A hunk replaces a piece of the source of Go's standard library, which must occur exactly
// once in its file, by another one.
type hunk struct {
	name     string // the behaviour that the hunk makes repeatable or possible
	file     string // the path of the file below GOROOT/src
	in       string // the only release to which it applies; "" means all releases
	old, new string
}

// hunks lists all changes that macemc makes. A hunk affects only goroutines of the bubble that has a tape,
// unless its comment says otherwise.
var hunks = []hunk{
	{
		name: "random numbers, map order and map seeds",
		file: "runtime/rand.go",
		old:  "func rand() uint64 {\n",
		new:  "func rand() uint64 {\n\tif gp := getg(); macemcOn(gp) {\n\t\treturn macemcRand64(gp)\n\t}\n",
	},
	{
		name: "the order of select cases",
		file: "runtime/select.go",
		old:  "j := cheaprandn(uint32(norder + 1))",
		new:  "j := macemcRandn(gp, uint32(norder+1))",
	},
	{
		name: "a pause before a select",
		file: "runtime/select.go",
		old:  "\tgp := getg()\n\tif debugSelect {\n",
		new:  "\tmacemcPauseSelect(cas0, nsends+nrecvs)\n\tgp := getg()\n\tif debugSelect {\n",
	},
	{
		name: "a pause before a send",
		file: "runtime/chan.go",
		old:  "\tif debugChan {\n\t\tprint(\"chansend: chan=\"",
		new:  "\tmacemcPause(unsafe.Pointer(c), macemcSends)\n\tif debugChan {\n\t\tprint(\"chansend: chan=\"",
	},
	{
		name: "a pause before a receive",
		file: "runtime/chan.go",
		old:  "\tif debugChan {\n\t\tprint(\"chanrecv: chan=\"",
		new:  "\tmacemcPause(unsafe.Pointer(c), macemcReceives)\n\tif debugChan {\n\t\tprint(\"chanrecv: chan=\"",
	},
	{
		name: "a pause before a close",
		file: "runtime/chan.go",
		old:  "func closechan(c *hchan) {\n",
		new:  "func closechan(c *hchan) {\n\tmacemcPause(unsafe.Pointer(c), macemcCloses)\n",
	},
	{
		name: "a pause before a lock",
		file: "internal/sync/mutex.go",
		old:  "func (m *Mutex) Lock() {\n",
		new:  "func (m *Mutex) Lock() {\n\truntime_macemcPause(m)\n",
	},
	{
		name: "a pause before a lock (declaration)",
		file: "internal/sync/runtime.go",
		old:  "//go:linkname runtime_nanotime\n",
		new:  "//go:linkname runtime_macemcPause\nfunc runtime_macemcPause(*Mutex)\n\n//go:linkname runtime_nanotime\n",
	},
	{
		name: "a pause before a read lock",
		file: "sync/rwmutex.go",
		old:  "func (rw *RWMutex) RLock() {\n",
		new:  "func (rw *RWMutex) RLock() {\n\truntime_macemcPause(rw)\n",
	},
	{
		name: "a pause before a read lock (declaration)",
		file: "sync/runtime.go",
		old:  "func throw(string)\n",
		new:  "func runtime_macemcPause(*RWMutex)\nfunc throw(string)\n",
	},
	{
		name: "channels have a number",
		file: "runtime/chan.go",
		old:  "\tif b := getg().bubble; b != nil {\n\t\tc.bubble = b\n",
		new:  "\tif b := getg().bubble; b != nil {\n\t\tc.bubble = b\n\t\tc.macemcOrdinal = macemcChan()\n",
	},
	{
		name: "channels have a number (field)",
		file: "runtime/chan.go",
		old:  "\tbubble   *synctestBubble\n",
		new:  "\tbubble   *synctestBubble\n\tmacemcOrdinal uintptr\n",
	},
	{
		name: "cases of one channel wait in an order that addresses do not change",
		file: "runtime/select.go",
		old:  "func (c *hchan) sortkey() uintptr {\n",
		new:  "func (c *hchan) sortkey() uintptr {\n\tif c.macemcOrdinal != 0 {\n\t\treturn c.macemcOrdinal\n\t}\n",
	},
	{
		name: "ties of timers",
		file: "runtime/time.go",
		old:  "t.rand = cheaprand()\n",
		new:  "t.rand = macemcTimer()\n\t\t\tmacemcArm(t)\n",
	},
	{
		name: "a timer that fires at once belongs to a life",
		file: "runtime/time.go",
		old:  "\t\tif t.state&timerHeaped == 0 && when <= bubble.now {\n",
		new:  "\t\tif t.state&timerHeaped == 0 && when <= bubble.now {\n\t\t\tmacemcArm(t)\n",
	},
	{
		name: "timers belong to a life (field)",
		file: "runtime/time.go",
		old:  "\trand    uint32 // randomizes order of timers at same instant; only set when isFake\n",
		new:  "\trand    uint32 // randomizes order of timers at same instant; only set when isFake\n\tmacemcLife uint32\n\tmacemcKey uint64\n",
	},
	{
		name: "timers of a life that ended do nothing",
		file: "runtime/time.go",
		old:  "\tf := t.f\n\targ := t.arg\n\tseq := t.seq\n\tvar next int64\n",
		new: "\tf := t.f\n\targ := t.arg\n\tseq := t.seq\n\tvar next int64\n\tmacemcLife, macemcKey := t.macemcLife, t.macemcKey\n" +
			"\tif bubble != nil && macemcEnded(macemcLife) {\n\t\tt.period = 0\n\t\tf = func(any, uintptr, int64) {}\n\t}\n",
	},
	{
		name: "what a timer starts belongs to its life",
		file: "runtime/time.go",
		old:  "\t\tgp.bubble = bubble\n\t\tbubble.changegstatus(gp, _Gdead, _Grunning)\n",
		new:  "\t\tgp.bubble = bubble\n\t\tgp.macemcLife = macemcLife\n\t\tmacemcNamed(gp, macemcKey)\n\t\tbubble.changegstatus(gp, _Gdead, _Grunning)\n",
	},
	{
		name: "what a timer starts belongs to its life (end)",
		file: "runtime/time.go",
		old:  "\t\tgp.bubble = nil\n\t}\n",
		new:  "\t\tgp.bubble = nil\n\t\tgp.macemcLife = 0\n\t}\n",
	},
	{
		name: "a host has a wall clock of its own, and a monotonic one",
		file: "runtime/time.go",
		old:  "\tif bubble := getg().bubble; bubble != nil {\n\t\tsec = bubble.now / (1000 * 1000 * 1000)\n",
		new: "\tif gp := getg(); macemcLives(gp) {\n\t\treturn macemcTime(gp)\n\t}\n" +
			"\tif bubble := getg().bubble; bubble != nil {\n\t\tsec = bubble.now / (1000 * 1000 * 1000)\n",
	},
	{
		name: "a host has a monotonic clock of its own",
		file: "runtime/time.go",
		old:  "\tif gp.bubble != nil {\n\t\treturn gp.bubble.now\n\t}\n\treturn nanotime()\n",
		new:  "\tif macemcLives(gp) {\n\t\treturn macemcMono(gp)\n\t}\n\tif gp.bubble != nil {\n\t\treturn gp.bubble.now\n\t}\n\treturn nanotime()\n",
	},
	{
		name: "a host's monotonic clock is that of every process",
		file: "time/time.go",
		old:  "\tmono -= startNano\n",
		new:  "\tif !runtimeIsBubbled() {\n\t\tmono -= startNano\n\t}\n",
	},
	{
		name: "a host sleeps by its clock",
		file: "runtime/time.go",
		old:  "\tvar now int64\n\tif bubble := gp.bubble; bubble != nil {\n\t\tnow = bubble.now\n",
		new:  "\tvar now int64\n\tif bubble := gp.bubble; bubble != nil {\n\t\tns = macemcSpan(gp, ns)\n\t\tnow = bubble.now\n",
	},
	{
		name: "a host's timers are by its clock",
		file: "runtime/time.go",
		old:  "\tt.modify(when, period, f, arg, 0)\n\tt.init = true\n",
		new:  "\twhen, period = macemcWhen(when), macemcSpan(getg(), period)\n\tt.modify(when, period, f, arg, 0)\n\tt.init = true\n",
	},
	{
		name: "a host's timers are by its clock (reset)",
		file: "runtime/time.go",
		old:  "\treturn t.reset(when, period)\n}\n\n// Go runtime.\n",
		new:  "\treturn t.reset(macemcWhen(when), macemcSpan(getg(), period))\n}\n\n// Go runtime.\n",
	},
	{
		name: "which goroutine runs next",
		file: "runtime/proc.go",
		old:  "\tif randomizeScheduler && next && randn(2) == 0 {\n\t\tnext = false\n",
		new:  "\tif next && (randomizeScheduler && randn(2) == 0 || !macemcRunNext(gp)) {\n\t\tnext = false\n",
	},
	{
		name: "a goroutine that yields stays in the local queue",
		file: "runtime/proc.go",
		old:  "\t\trunqput(pp, gp, true)\n\t} else {\n\t\tlock(&sched.lock)\n\t\tglobrunqput(gp)\n",
		new:  "\t\trunqput(pp, gp, true)\n\t} else if macemcOn(gp) {\n\t\trunqput(pp, gp, false)\n\t} else {\n\t\tlock(&sched.lock)\n\t\tglobrunqput(gp)\n",
	},
	{
		name: "the global queue is not looked at by a count of the process",
		file: "runtime/proc.go",
		old:  "\tif pp.schedtick%61 == 0 && !sched.runq.empty() {\n",
		new:  "\tif pp.schedtick%61 == 0 && !sched.runq.empty() && !macemcOnHead() {\n",
	},
	{
		name: "no preemption by time, and no P is taken in a system call",
		file: "runtime/proc.go",
		old:  "\t\tpd := &pp.sysmontick\n\t\tsysretake := false\n",
		new:  "\t\tif mp := pp.m.ptr(); mp != nil && mp.curg != nil && macemcOn(mp.curg) {\n\t\t\tcontinue\n\t\t}\n\t\tpd := &pp.sysmontick\n\t\tsysretake := false\n",
	},
	{
		name: "goroutines have a life and a number",
		file: "runtime/proc.go",
		old:  "\t// Track initial transition?\n\tnewg.trackingSeq",
		new:  "\tmacemcBorn(newg, callergp)\n\t// Track initial transition?\n\tnewg.trackingSeq",
	},
	{
		name: "goroutines of a life that ended are never scheduled",
		file: "runtime/proc.go",
		old:  "func ready(gp *g, traceskip int, next bool) {\n",
		new:  "func ready(gp *g, traceskip int, next bool) {\n\tif macemcEnded(gp.macemcLife) {\n\t\treturn\n\t}\n",
	},
	{
		name: "goroutines have a life and a number (fields)",
		file: "runtime/runtime2.go",
		old:  "\tfipsOnlyBypass  bool\n",
		new:  "\tfipsOnlyBypass  bool\n\tmacemcLife      uint32\n\tmacemcOrdinal   uint32\n\tmacemcQuiet     uint32\n\tmacemcChildren  uint32\n\tmacemcAt        uint32\n\tmacemcSelects   uint32\n\tmacemcKey       uint64\n\tmacemcPlace     uint64\n\tmacemcDrawn     [macemcKinds]uint32\n",
	},
	{
		name: "a goroutine that waits for a mutex is idle",
		file: "runtime/runtime2.go",
		old:  "\treturn isIdleInSynctest[w]\n",
		new: "\treturn isIdleInSynctest[w] || macemcNow != nil &&\n" +
			"\t\t(w == waitReasonSyncMutexLock || w == waitReasonSyncRWMutexRLock || w == waitReasonSyncRWMutexLock)\n",
	},
	{
		name: "a mutex starves by the bubble's clock",
		file: "runtime/sema.go",
		old:  "func internal_sync_nanotime() int64 {\n",
		new:  "func internal_sync_nanotime() int64 {\n\tif gp := getg(); gp.bubble != nil {\n\t\treturn gp.bubble.now\n\t}\n",
	},
	{
		name: "the real network is refused",
		file: "net/dial.go",
		old:  "func (d *Dialer) DialContext(ctx context.Context, network, address string) (Conn, error) {\n",
		new:  "func (d *Dialer) DialContext(ctx context.Context, network, address string) (Conn, error) {\n\truntime_macemcRefuse(\"the real network is dialled in a world: use Host.Dial\")\n",
	},
	{
		name: "the real network is refused (listen)",
		file: "net/dial.go",
		old:  "func (lc *ListenConfig) Listen(ctx context.Context, network, address string) (Listener, error) {\n",
		new:  "func (lc *ListenConfig) Listen(ctx context.Context, network, address string) (Listener, error) {\n\truntime_macemcRefuse(\"the real network is listened to in a world: use Host.Listen\")\n",
	},
	{
		name: "the real network is refused (datagrams)",
		file: "net/dial.go",
		old:  "func (lc *ListenConfig) ListenPacket(ctx context.Context, network, address string) (PacketConn, error) {\n",
		new:  "func (lc *ListenConfig) ListenPacket(ctx context.Context, network, address string) (PacketConn, error) {\n\truntime_macemcRefuse(\"the real network is listened to in a world: use Host.ListenPacket\")\n",
	},
	{
		name: "processes are refused",
		file: "os/exec.go",
		old:  "func StartProcess(name string, argv []string, attr *ProcAttr) (*Process, error) {\n",
		new:  "func StartProcess(name string, argv []string, attr *ProcAttr) (*Process, error) {\n\truntime_macemcRefuse(\"a process is started in a world\")\n",
	},
	{
		name: "the real network is refused (declaration)",
		file: "net/dnsclient.go",
		old:  "//go:linkname runtime_rand runtime.rand\n",
		new:  "//go:linkname runtime_macemcRefuse runtime.macemcRefuse\nfunc runtime_macemcRefuse(what string)\n\n//go:linkname runtime_rand runtime.rand\n",
	},
	{
		name: "processes are refused (declaration)",
		file: "os/tempfile.go",
		old:  "//go:linkname runtime_rand runtime.rand\n",
		new:  "//go:linkname runtime_macemcRefuse runtime.macemcRefuse\nfunc runtime_macemcRefuse(what string)\n\n//go:linkname runtime_rand runtime.rand\n",
	},
	{
		name: "cgo is refused",
		file: "runtime/cgocall.go",
		old:  "func cgocall(fn, arg unsafe.Pointer) int32 {\n",
		new:  "func cgocall(fn, arg unsafe.Pointer) int32 {\n\tmacemcRefuse(\"C is called in a world\")\n",
	},
	{
		name: "addresses are those of every process",
		file: "runtime/malloc.go",
		old:  "randomizeHeapBase = goexperiment.RandomizedHeapBase64 &&",
		new:  "randomizeHeapBase = false && goexperiment.RandomizedHeapBase64 &&",
	},
	{
		name: "hashes are those of every process", // of all goroutines: the keys belong to the process
		file: "runtime/alg.go",
		in:   "go1.26",
		old:  "\t\thashkey[i] = uintptr(bootstrapRand())\n",
		new:  "\t\thashkey[i] = uintptr(macemcMix(uint64(i) + 1))\n",
	},
	{
		name: "hashes are those of every process (AES)",
		file: "runtime/alg.go",
		in:   "go1.26",
		old:  "\t\tkey[i] = bootstrapRand()\n",
		new:  "\t\tkey[i] = macemcMix(uint64(i) + 1)\n",
	},
	{
		name: "hashes are those of every process",
		file: "internal/runtime/maps/runtime_alg.go",
		in:   "go1.27",
		old:  "\t\thashkey[i] = uintptr(bootstrapRand())\n",
		new:  "\t\thashkey[i] = uintptr(0x9e3779b97f4a7c15>>(2*i)) | 1\n",
	},
	{
		name: "hashes are those of every process (AES)",
		file: "internal/runtime/maps/runtime_alg.go",
		in:   "go1.27",
		old:  "\t\tkey[i] = bootstrapRand()\n",
		new:  "\t\tkey[i] = 0x9e3779b97f4a7c15 * (uint64(i) + 1)\n",
	},
}
