package command

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"macemc/mdb"
	"macemc/mdb/web"
)

// explore serves a page on which the user explores the run of a path. It returns when the user ends
// this, on the page or at the terminal.
func (t *mdbRun) explore(name string) error {
	opener := t.opener()
	opener.Busy = &mdb.Busy{Stuck: t.f.stuck, OnStuck: func(where, message, stack string) {
		t.complain(errors.New(stuckText(where, message, stack)))
		t.endWith(exitFound)
	}}
	s, err := open(opener, name, t.f)
	if err != nil {
		return err
	}
	defer s.Close()
	l, err := web.Listen(t.f.port)
	if err != nil {
		return fmt.Errorf("--web: %w", err)
	}
	ctx, end := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer end()
	page := web.New(s, end)
	fmt.Fprintf(t.stdout, "explore %s at %s\n(Ctrl-C ends it; who knows the address may drive it, from this machine)\n", name, page.URL(l))
	server := &http.Server{Handler: page}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		<-ctx.Done()
		late, end := context.WithTimeout(context.Background(), time.Second)
		defer end()
		_ = server.Shutdown(late) // the last answer is written
	}()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("--web: %w", err)
	}
	<-closed // Serve returns as soon as Shutdown begins
	return nil
}

// exploreFound serves the page on which the first finding of a search is explored, if there is a
// finding and --web was given.
func (t *tool) exploreFound(f searchFlags, path string) error {
	if !f.web || path == "" {
		return nil
	}
	return (&mdbRun{t, mdbFlags{stuck: f.opts.Stuck}}).explore(path)
}
