package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"macemc/live"
)

func main() {
	port := flag.Int("port", 8080, "the first server's API is at this port of 127.0.0.1, the others' at the next ones")
	servers := flag.Int("servers", 3, "how many servers")
	dir := flag.String("dir", "", "keep what the servers store in this folder (default in memory)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(ctx, *servers, *port, *dir); err != nil {
		log.Fatal(err)
	}
}

func serve(ctx context.Context, servers, port int, dir string) error {
	s, err := start(servers, live.Config{Dir: dir, Log: slog.Default()})
	if err != nil {
		return err
	}
	failed := make(chan error, servers)
	for i := range servers {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port+i))
		if err != nil {
			return errors.Join(err, s.host.Stop())
		}
		fmt.Printf("server n%d: http://%s/\n", i, l.Addr())
		api := &http.Server{Handler: s.api(i), ReadHeaderTimeout: 5 * time.Second}
		go func() { failed <- api.Serve(l) }()
		defer func() { _ = api.Close() }()
	}
	select {
	case <-ctx.Done():
		err = nil
	case err = <-failed:
	}
	return errors.Join(err, s.host.Stop())
}
