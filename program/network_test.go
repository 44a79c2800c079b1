package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// world runs f in a world.
func world(t *testing.T, f func(t *testing.T, w *World)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := New(t)
		defer w.End()
		f(t, w)
	})
}

// echo is a server that returns what it receives.
func echo(ctx context.Context, h *Host) {
	l, err := h.Listen("tcp", ":7")
	if err != nil {
		panic(err)
	}
	context.AfterFunc(ctx, func() { l.Close() })
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			context.AfterFunc(ctx, func() { c.Close() })
			io.Copy(c, c)
		}()
	}
}

// More bytes than a window go through a connection and back, in order, and the stream ends.
func TestConn(t *testing.T) {
	world(t, func(t *testing.T, w *World) {
		w.Start("server", echo)
		w.Wait()
		c, err := w.Host("client").Dial("tcp", "server:7")
		if err != nil {
			t.Fatal(err)
		}
		sent := make([]byte, 5*window/2)
		for i := range sent {
			sent[i] = byte(i * i >> 7)
		}
		go func() {
			c.Write(sent)
			c.(*conn).CloseWrite()
		}()
		got, err := io.ReadAll(c)
		if err != nil || !bytes.Equal(got, sent) {
			t.Errorf("%d bytes and %v, want %d", len(got), err, len(sent))
		}
		if c.Close() != nil || !errors.Is(c.Close(), net.ErrClosed) {
			t.Error("a connection is closed once")
		}
		if _, err := c.Read(nil); !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
		w.Stop("server")
	})
}

func TestConnErrors(t *testing.T) {
	world(t, func(t *testing.T, w *World) {
		w.Start("server", echo)
		w.Wait()
		client := w.Host("client")
		if _, err := client.Dial("tcp", "server:8"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Error(err)
		}
		c, err := client.Dial("tcp", "server:7")
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		c.SetReadDeadline(began.Add(time.Second))
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != time.Second {
			t.Error(err, time.Since(began))
		}
		c.SetReadDeadline(time.Time{})
		w.Reset("client", "server")
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
			t.Error(err)
		}
		if _, err := c.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
			t.Error(err)
		}
		w.Stop("server")
	})
}

// During a partition bytes wait and a dial fails; afterwards the bytes arrive.
func TestPartition(t *testing.T) {
	world(t, func(t *testing.T, w *World) {
		w.Start("server", echo)
		w.Wait()
		client := w.Host("client")
		c, err := client.Dial("tcp", "server:7")
		if err != nil {
			t.Fatal(err)
		}
		w.Partition(nil, []string{"server"})
		for i := range 5 {
			fmt.Fprint(c, i)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if _, err := client.DialContext(ctx, "tcp", "server:7"); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		c.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
		w.Heal()
		c.SetReadDeadline(time.Time{})
		got := make([]byte, 5)
		if _, err := io.ReadFull(c, got); err != nil || string(got) != "01234" {
			t.Errorf("%q, %v", got, err)
		}
		w.Stop("server")
	})
}

// net/http runs unmodified.
func TestHTTP(t *testing.T) {
	world(t, func(t *testing.T, w *World) {
		w.Start("server", func(ctx context.Context, h *Host) {
			l, err := h.Listen("tcp", ":80")
			if err != nil {
				panic(err)
			}
			s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hello ", r.URL.Path) })}
			context.AfterFunc(ctx, func() { s.Close() })
			s.Serve(l)
		})
		w.Wait()
		transport := &http.Transport{DialContext: w.Host("client").DialContext}
		r, err := (&http.Client{Transport: transport}).Get("http://server/x")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		if err != nil || string(text) != "hello /x" {
			t.Errorf("%q, %v", text, err)
		}
		transport.CloseIdleConnections()
		w.Stop("server")
	})
}

func TestPackets(t *testing.T) {
	world(t, func(t *testing.T, w *World) {
		a, err := w.Host("a").ListenPacket("udp", ":1")
		if err != nil {
			t.Fatal(err)
		}
		b, err := w.Host("b").ListenPacket("udp", ":2")
		if err != nil {
			t.Fatal(err)
		}
		a.WriteTo([]byte("one"), Addr("udp", "b:2"))
		got := make([]byte, 10)
		n, from, err := b.ReadFrom(got)
		if err != nil || string(got[:n]) != "one" || from.String() != "a:1" {
			t.Errorf("%q from %v, %v", got[:n], from, err)
		}
		w.Partition(nil, []string{"b"})
		a.WriteTo([]byte("two"), Addr("udp", "b:2"))
		b.SetReadDeadline(time.Now().Add(time.Minute))
		if _, _, err := b.ReadFrom(got); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
	})
}
