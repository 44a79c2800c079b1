package spec

// Shrink makes a spec smaller as long as differs reports true for it: it removes one part after another, and
// keeps only the parts that are needed.
func Shrink(s *Spec, differs func(*Spec) bool) *Spec {
	for again := true; again; {
		again = false
		for k := 0; ; k++ {
			c, there := s.without(k)
			if !there {
				break
			}
			if c != nil && differs(c) {
				s, again = c, true
				k--
			}
		}
	}
	return s
}

// without returns a copy of s without its k-th part, in the order of cuts. smaller is nil if s does
// not have that part, or needs it. there is false if k is beyond the last part.
func (s *Spec) without(k int) (smaller *Spec, there bool) {
	c, err := Parse(s.String())
	if err != nil {
		panic("macemc bug: spec: a spec does not parse: " + err.Error())
	}
	cuts := c.cuts()
	if k >= len(cuts) {
		return nil, false
	}
	if !cuts[k]() {
		return nil, true
	}
	return c, true
}

// cuts returns a list of functions. Each removes a part of s, and reports whether s had that part.
func (s *Spec) cuts() (all []func() bool) {
	add := func(cut func() bool) { all = append(all, cut) }
	add(func() bool { return s.dropNode() })
	for _, n := range s.Budgets.All() {
		add(func() bool { return set(n, 0) })
		add(func() bool { return *n != 0 && set(n, 1) })
	}
	drops(add, &s.Only)
	add(func() bool { return set(&s.Early, nil) })
	add(func() bool { return s.Early != nil && *s.Early > 0 && set(&s.Early, new(0)) })
	for _, is := range []*bool{&s.Layered, &s.Keeps, &s.Limit, &s.Monitored, &s.AnyOrder, &s.Midstep, &s.FreeTimers, &s.Table} {
		add(func() bool { return set(is, false) })
	}
	add(func() bool { return set(&s.Pokes, "") })
	add(func() bool { return set(&s.Says, [2]int{}) })
	add(func() bool { return set(&s.Within, nil) })
	add(func() bool { return set(&s.Assume, nil) })
	add(func() bool { return set(&s.Step, nil) })
	drops(add, &s.Rules)
	for i := range s.Rules {
		for k := range s.Rules[i].Do {
			op := &s.Rules[i].Do[k]
			add(func() bool { return len(s.Rules[i].Do) > 1 && drop(&s.Rules[i].Do, k) })
			add(func() bool { return op.Verb == Before && op.Weights != nil && empty(&op.Weights) })
		}
	}
	drops(add, &s.Offers)
	drops(add, &s.Declines)
	drops(add, &s.Gathers)
	drops(add, &s.Waits)
	drops(add, &s.Slow)
	add(func() bool { return set(&s.Pace, nil) })
	drops(add, &s.Each)
	drops(add, &s.Rare)
	drops(add, &s.Always)
	drops(add, &s.Eventually)
	add(func() bool { return s.Scripts != nil && empty(&s.Scripts) })
	for i := range s.Scripts {
		for life := range s.Scripts[i] {
			for k := range s.Scripts[i][life] {
				add(func() bool { return drop(&s.Scripts[i][life], k) })
			}
		}
	}
	for _, n := range []*int{&s.Fuel, &s.TCPBuffer, &s.UDPCapacity, &s.Places} {
		add(func() bool { return *n > 1 && (n != &s.Places || s.fits(*n-1)) && set(n, *n-1) })
	}
	return all
}

func set[T comparable](at *T, x T) bool {
	if *at == x {
		return false
	}
	*at = x
	return true
}

// drops calls add once for each element of a list, with a function that removes this element.
func drops[T any](add func(cut func() bool), list *[]T) {
	for i := range *list {
		add(func() bool { return drop(list, i) })
	}
}

func drop[T any](list *[]T, i int) bool {
	*list = append((*list)[:i:i], (*list)[i+1:]...)
	return true
}

func empty[T any](list *[]T) bool {
	*list = nil
	return true
}

// fits reports whether all rules of s use only places below the given number.
func (s *Spec) fits(places int) bool {
	for _, r := range s.Rules {
		if r.At >= places {
			return false
		}
		for _, op := range r.Do {
			if op.Verb == Go && op.X >= places {
				return false
			}
		}
	}
	return true
}

// dropNode removes the last node, if only its own rules, offers and declines mention it.
func (s *Spec) dropNode() bool {
	last := s.Nodes - 1
	if last == 0 {
		return false
	}
	var rules []Rule
	for _, r := range s.Rules {
		if r.Node == last {
			continue
		}
		for _, op := range r.Do {
			if op.To == last {
				return false
			}
		}
		rules = append(rules, r)
	}
	var offers []Offer
	for _, o := range s.Offers {
		if o.Node != last {
			offers = append(offers, o)
		}
	}
	var declines []Decline
	for _, d := range s.Declines {
		if d.Node != last && d.From != last {
			declines = append(declines, d)
		}
	}
	s.Nodes, s.Rules, s.Offers, s.Declines = last, rules, offers, declines
	if len(s.Scripts) > last {
		s.Scripts = s.Scripts[:last]
	}
	return true
}
