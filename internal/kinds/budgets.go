package kinds

// Budgets has the names of the fields of sim.Faults, in their order, as the flag --faults has them. The
// fields rare and disk belong to no kind of event.
var Budgets = []string{"crash", "down", "reset", "loss", "dup", "reorder", "partition", "oneway", "rare", "pause", "disk", "wipe"}
