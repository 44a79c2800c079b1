package raft

import (
	"fmt"

	"macemc/sim"
)

// journal is raft's Logger: it adds raft's log lines to the trace of the running step.
// It never ends the process. It is not part of the state: env is set anew in each
// step.
type journal struct{ env sim.Env }

func (j *journal) line(level string, v []any) {
	if j.env.Tracing() {
		j.env.Logf("raft %s: %s", level, fmt.Sprint(v...))
	}
}

func (j *journal) linef(level, format string, v []any) {
	if j.env.Tracing() {
		j.env.Logf("raft %s: %s", level, fmt.Sprintf(format, v...))
	}
}

func (j *journal) Debug(v ...any)                   { j.line("debug", v) }
func (j *journal) Debugf(format string, v ...any)   { j.linef("debug", format, v) }
func (j *journal) Info(v ...any)                    { j.line("info", v) }
func (j *journal) Infof(format string, v ...any)    { j.linef("info", format, v) }
func (j *journal) Warning(v ...any)                 { j.line("warning", v) }
func (j *journal) Warningf(format string, v ...any) { j.linef("warning", format, v) }
func (j *journal) Error(v ...any)                   { j.line("error", v) }
func (j *journal) Errorf(format string, v ...any)   { j.linef("error", format, v) }
func (j *journal) Fatal(v ...any)                   { panic("raft: " + fmt.Sprint(v...)) }
func (j *journal) Fatalf(format string, v ...any)   { panic("raft: " + fmt.Sprintf(format, v...)) }
func (j *journal) Panic(v ...any)                   { panic("raft: " + fmt.Sprint(v...)) }
func (j *journal) Panicf(format string, v ...any)   { panic("raft: " + fmt.Sprintf(format, v...)) }
