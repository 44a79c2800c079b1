package wire

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"macemc/internal/nearest"
	"macemc/mdb"
)

// Wire answers requests about one session. Only one goroutine may call its methods, except
// for Stuck.
type Wire struct {
	session *mdb.Session
	doing   atomic.Pointer[json.RawMessage] // the id of the request that is being answered
}

// New returns a Wire for a session. It makes the nearest live path, which is beside the file that
// was opened, the branch live, if that is possible.
func New(s *mdb.Session) *Wire {
	_ = s.Adopt() // if that fails, requests can still compare with the run called live, as in mdb
	return &Wire{session: s}
}

// Ended reports whether a request has ended the session.
func (w *Wire) Ended() bool { return w.session.Ended() }

// Stuck returns the answer to the present request when a handler of the service does not
// return: an error with this text. Another goroutine may call it. No other answer may
// follow.
func (w *Wire) Stuck(text string) []byte {
	reply := Reply{ID: json.RawMessage("null"), Error: text}
	if id := w.doing.Load(); id != nil {
		reply.ID = *id
	}
	return reply.line()
}

// Request asks for one operation. The table of operations has the fields that each operation
// takes.
type Request struct {
	ID       json.RawMessage `json:"id"`
	Op       string          `json:"op"`
	Line     string          `json:"line"`
	Styled   bool            `json:"styled"`
	Branch   string          `json:"branch"`
	Step     *int            `json:"step"`
	With     string          `json:"with"`
	WithStep *int            `json:"with_step"`
	From     *int            `json:"from"`
	To       *int            `json:"to"`
	Event    *int            `json:"event"`
	Coins    []int           `json:"coins"`
	More     int             `json:"more"`
}

// Reply is the answer to a request: a value, or an error in one line.
type Reply struct {
	ID     json.RawMessage `json:"id"` // the id of the request, or null if it had none
	Place  *mdb.Place      `json:"place,omitempty"`
	Answer any             `json:"answer,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// lineMost is the largest size of a request in bytes.
const lineMost = 1 << 20

// Serve answers the lines of a reader until its end or a request to quit.
func (w *Wire) Serve(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 1<<16), lineMost)
	for !w.session.Ended() && lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if _, err := out.Write(append(w.Answer(lines.Bytes()), '\n')); err != nil {
			return fmt.Errorf("an answer could not be written: %w", err)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("a request is longer than %d bytes", lineMost)
	} else if err != nil {
		return fmt.Errorf("the requests could not be read: %w", err)
	}
	return nil
}

// Answer answers one request. The answer is one line of JSON, without a line break.
func (w *Wire) Answer(text []byte) []byte {
	var r Request
	reply := Reply{ID: json.RawMessage("null")}
	answer, err := any(nil), read(text, &r)
	if len(r.ID) > 0 {
		reply.ID = r.ID
	}
	w.doing.Store(&reply.ID)
	if err == nil {
		answer, err = w.do(&r)
	}
	if err != nil {
		reply.Error = err.Error()
	} else {
		reply.Answer = answer
	}
	if !w.session.Ended() {
		at := w.session.Where()
		reply.Place = &at
	}
	return reply.line()
}

// line returns the reply as one line of JSON.
func (r *Reply) line() []byte {
	r.Error = strings.Join(strings.Fields(r.Error), " ")
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		panic("macemc bug: wire: a reply is no JSON, though all of its types are plain: " + err.Error())
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// read parses text into r. It returns an error unless the text is one JSON object whose fields
// are those of a Request.
func read(text []byte, r *Request) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var wrong *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch err := d.Decode(r); {
	case errors.As(err, &wrong) && wrong.Field == "":
		return fmt.Errorf(`the request is of the type %s; it must be an object, as {"op": "do", "line": "next"}`, wrong.Value)
	case errors.As(err, &wrong):
		return fmt.Errorf("%s is of the type %s; it must be a %s", wrong.Field, wrong.Value, typeWords[wrong.Type.Kind()])
	case errors.As(err, &syntax), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf(`the request is no JSON object: %w; write one as {"op": "do", "line": "next"}`, err)
	case err != nil:
		return fmt.Errorf("the request has an %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one object stands on the line; write each request on a line of its own")
	}
	return nil
}

// typeWords are the types of the fields of a request.
var typeWords = map[reflect.Kind]string{reflect.Int: "whole number", reflect.String: "string", reflect.Bool: "boolean", reflect.Slice: "list of whole numbers"}

// do executes the operation of a request.
func (w *Wire) do(r *Request) (any, error) {
	if w.session.Ended() {
		return nil, errors.New("the session has ended")
	}
	for _, op := range Operations() {
		if op.Name != r.Op {
			continue
		}
		if err := op.check(r); err != nil {
			return nil, err
		}
		return op.run(w.session, r)
	}
	if r.Op == "" {
		return nil, fmt.Errorf(`the request names no op; there are %s`, strings.Join(names(), ", "))
	}
	if meant := nearest.Name(r.Op, names()); meant != "" {
		return nil, fmt.Errorf("there is no op %q; did you mean %s?", r.Op, meant)
	}
	return nil, fmt.Errorf("there is no op %q; there are %s", r.Op, strings.Join(names(), ", "))
}

func names() (all []string) {
	for _, op := range Operations() {
		all = append(all, op.Name)
	}
	return all
}

// check rejects fields that an operation does not take, and requires those that it needs.
func (op *Operation) check(r *Request) error {
	given := []string{}
	for _, f := range []struct {
		name string
		is   bool
	}{
		{"line", r.Line != ""}, {"styled", r.Styled}, {"branch", r.Branch != ""}, {"step", r.Step != nil}, {"with", r.With != ""},
		{"with_step", r.WithStep != nil}, {"from", r.From != nil}, {"to", r.To != nil}, {"event", r.Event != nil}, {"coins", r.Coins != nil}, {"more", r.More != 0},
	} {
		if f.is {
			given = append(given, f.name)
		}
	}
	for _, name := range given {
		if !slices.Contains(op.Needs, name) && !slices.Contains(op.Takes, name) {
			return fmt.Errorf("%s takes no %s; it takes %s", op.Name, name, cmp.Or(strings.Join(slices.Concat(op.Needs, op.Takes), ", "), "nothing"))
		}
	}
	for _, name := range op.Needs {
		if !slices.Contains(given, name) {
			return fmt.Errorf("%s needs %s, as in %s", op.Name, name, op.Example)
		}
	}
	return nil
}
