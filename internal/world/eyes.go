package world

// eyes are the world as its properties see it.
type eyes struct{ w *World }

func (e eyes) Timers() int { return e.w.timers.count }

func (e eyes) InFlight() int {
	e.w.counted = true
	return e.w.InFlight()
}
