package search

// Together lets several workers expand levels however few states they have.
func Together(o *Options) { o.team = 1 }
