// Package record writes and reads the records of live nodes. A record has the steps of one node in
// one life: frames of entries, each written when its step is done and before its effects are
// visible to others. If the process ends while it writes, the last frame is torn, and the reader
// leaves it out. If the node had stored the result of that step on its disk already, the record of
// its next life has the step: see LastStep.
package record
