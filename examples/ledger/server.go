package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"macemc/program"
	"macemc/sim"
)

// A deposit is an entry of the ledger.
type deposit struct {
	ID     string
	Amount int
}

// shown is the state that a server shows to the properties.
type shown struct {
	Epoch   int
	Entries []deposit
	Primary bool // it holds the lease now
}

// A server keeps the ledger.
type server struct {
	book   // on its disk
	p      sim.Params
	h      *program.Host
	peer   string
	client *http.Client
	until  time.Time // the end of the lease
	mu     sync.Mutex
	turn   sync.Mutex // held while a deposit is replicated
}

// book is the data that one server sends to the other, and writes to its disk.
type book struct {
	Epoch   int // the latest that its owner has heard of
	Entries []deposit
}

func serve(p sim.Params, peer, keeper string) program.Program {
	return func(ctx context.Context, h *program.Host) {
		transport := &http.Transport{DialContext: h.DialContext}
		s := &server{p: p, h: h, peer: peer, client: &http.Client{Transport: transport, Timeout: time.Second}}
		h.Disk().Slow(20 * time.Millisecond)
		s.load()
		h.Show(func() any {
			return shown{s.Epoch, slices.Clone(s.Entries), time.Now().Before(s.until)}
		})
		l, err := h.Listen("tcp", ":80")
		if err != nil {
			panic(err)
		}
		mux := http.NewServeMux()
		mux.HandleFunc("POST /deposit", s.deposit)
		mux.HandleFunc("POST /replicate", s.replicate)
		web := &http.Server{Handler: mux}
		var all sync.WaitGroup
		all.Go(func() { _ = web.Serve(l) })
		all.Go(func() { s.leases(ctx, keeper) })
		<-ctx.Done()
		_ = web.Shutdown(context.Background()) // which waits for the handlers; they end by their timeouts
		all.Wait()
		transport.CloseIdleConnections()
		if p.Bug(LD5) {
			go func() { select {} }()
		}
	}
}

// load reads the book from the disk.
func (s *server) load() {
	text, err := s.h.Disk().ReadFile("book")
	if err != nil {
		return
	}
	if err := json.Unmarshal(text, &s.book); err != nil {
		panic(fmt.Sprintf("the book cannot be read: %v", err))
	}
}

// save writes a book to the disk, all of it or nothing.
func (s *server) save(b book) {
	text, err := json.Marshal(b)
	if err != nil {
		panic(err)
	}
	disk := s.h.Disk()
	name := "book.new"
	if s.p.Bug(LD4) {
		name = "book"
	}
	_ = disk.WriteFile(name, text)
	_ = disk.Open(name).Sync()
	if name != "book" {
		_ = disk.Rename(name, "book")
		_ = disk.Open("book").Sync()
	}
	s.book = b
}

// held is the time for which a server considers itself the holder of the lease. It is shorter than
// the lease, since the server's clock may be a tenth slow, and the keeper's a tenth fast.
const held = lease * 3 / 4

// leases claims the lease from the keeper again and again.
func (s *server) leases(ctx context.Context, keeper string) {
	sent := map[int]time.Time{}
	for n := 0; ; n++ {
		sent[n] = time.Now()
		s.h.Post(keeper, claim{n})
		over := time.After(500 * time.Millisecond)
		for waits := true; waits; {
			select {
			case <-ctx.Done():
				return
			case <-over:
				waits = false
			case m := <-s.h.Mail():
				if g, is := m.Value.(grant); is {
					s.granted(g, sent[g.Number])
				}
			}
		}
	}
}

func (s *server) granted(g grant, claimed time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.p.Bug(LD3) {
		claimed = time.Now()
	}
	if g.Epoch > s.Epoch {
		s.save(book{g.Epoch, s.Entries})
	}
	if g.Epoch == s.Epoch {
		s.until = claimed.Add(held)
		if s.p.Bug(LD6) {
			s.until = claimed.Add(lease)
		}
	}
}

// deposit handles a request of the client. Status 200 means that both servers have the deposit.
func (s *server) deposit(w http.ResponseWriter, r *http.Request) {
	var d deposit
	if err := json.NewDecoder(r.Body).Decode(&d); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.turn.Lock()
	defer s.turn.Unlock()
	b, err := s.add(d)
	if err == nil && !s.p.Bug(LD1) {
		err = s.send(b)
	} else if err == nil {
		go s.send(b)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	}
}

var errNotPrimary = errors.New("this server is not the primary")

// add adds a deposit to the book on the disk, unless it is there, and returns that book.
func (s *server) add(d deposit) (book, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !time.Now().Before(s.until) {
		return book{}, errNotPrimary
	}
	if !slices.Contains(s.Entries, d) || s.p.Bug(LD2) {
		s.save(book{s.Epoch, append(slices.Clone(s.Entries), d)})
	}
	return s.book, nil
}

// send sends the book to the other server.
func (s *server) send(b book) error {
	text, err := json.Marshal(b)
	if err != nil {
		return err
	}
	reply, err := s.client.Post("http://"+s.peer+":80/replicate", "application/json", bytes.NewReader(text))
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(reply.Body)
		return fmt.Errorf("%s: %s", s.peer, bytes.TrimSpace(text))
	}
	return nil
}

// replicate saves the book that a primary sends, unless this server knows of a later epoch.
func (s *server) replicate(w http.ResponseWriter, r *http.Request) {
	var b book
	if err := json.NewDecoder(r.Body).Decode(&b); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.Epoch < s.Epoch {
		http.Error(w, fmt.Sprintf("epoch %d is over", b.Epoch), http.StatusConflict)
		return
	}
	s.save(b)
}
