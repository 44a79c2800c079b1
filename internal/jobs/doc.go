// Package jobs has the types by which the command and package macemc/cluster let other processes take
// the walks and states of a search. A [Job] is the search, as the arguments of a command line. A [Cluster]
// distributes its work among the workers, and [Hands] are the resources of one worker.
package jobs
