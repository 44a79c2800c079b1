// Package lru is a cache as libraries have them: with a callback and a channel.
package lru

// Cache keeps the last value. Nothing depends on it.
type Cache struct {
	last    string
	onEvict func(string)
	stop    chan struct{}
	evicted *int
}

// New returns an empty cache. If counts is true, its callback has a variable that changes.
func New(counts bool) *Cache {
	c := &Cache{stop: make(chan struct{}), evicted: new(int)}
	c.onEvict = func(string) {
		if counts {
			*c.evicted = 1 - *c.evicted
		}
	}
	return c
}

// Put replaces the value.
func (c *Cache) Put(v string) {
	c.onEvict(c.last)
	c.last = v
}
