// Package setting holds everything that determines a run besides its answers: the
// system, its parameters, and the conditions of the environment. A path's header
// records a Setting, and Parse reads it back: [Setting.Header] and [Parse] are the
// one place where its text form is written down.
package setting
