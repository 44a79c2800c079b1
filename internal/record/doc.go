// Package record writes and reads the records of live nodes. A record has the steps of one node in one
// life: frames of entries, each written when its step is done and before its effects are visible to
// others. The last frame may be torn by the end of the process. A torn frame is left out, unless the
// node had kept the result of the step; its next life records that: see LastStep.
package record
