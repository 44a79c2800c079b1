// Command serve runs the lock server and its clients for real, on the loopback interface,
// until it is interrupted: go run ./serve
package main

import (
	"context"
	"log"
	"log/slog"
	"os"
	"os/signal"

	"macemc/examples/lock"
	"macemc/live"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := live.Run(ctx, lock.System, live.Config{Log: slog.Default()}); err != nil {
		log.Fatal(err)
	}
}
