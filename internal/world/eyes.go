package world

// eyes are the world as its properties see it.
type eyes struct{ w *World }

func (e eyes) Nodes() int { return e.w.n }

func (e eyes) Node(i int) (node any, up bool) {
	ns := &e.w.nodes[i]
	return ns.node, ns.life == lifeUp
}

func (e eyes) Scheduled(i int, timer any) bool {
	for _, t := range e.w.nodes[i].timers {
		if t.signal == timer {
			return true
		}
	}
	return false
}

func (e eyes) Timers() int { return e.w.timers }

func (e eyes) InFlight() int {
	e.w.counted = true
	return e.w.InFlight()
}
